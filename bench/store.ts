/**
 * The WorkRail store against the syncs that the locks prescribe, written by hand and taken in turn with it: appends to short
 * and long sessions, appends that bring a new snapshot, and loading a session of 10,000 appends.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  nodeFileSystem,
  openWorkrailStore,
  type FileSystem,
  type WorkrailStore,
} from '../src/workrail/local';
import { SessionId, type AppendPlan } from '../src/workrail/model';
import { FsyncFloor } from './fsync';
import { latency, timed, type Line } from './report';
import { advancePlan, birthPlan, notesPlan, pinWorkflow, unwrap } from './store-plans';

const APPENDS = 300;
const WARM_UP = 30;
/** As many as the floor's. */
const EVENTS_A_PLAN = 4;
const LENGTHS = [10, 1000, 10_000];
const LOADS = 7;

/** For filling sessions: what is not measured need not outlive a power cut. */
const unsynced: FileSystem = {
  ...nodeFileSystem,
  syncFolder: () => Promise.resolve(),
  create: (path) => withoutSync(nodeFileSystem.create(path)),
  append: (path) => withoutSync(nodeFileSystem.append(path)),
};

function withoutSync(file: ReturnType<FileSystem['create']>): ReturnType<FileSystem['create']> {
  return {
    write: (bytes) => file.write(bytes),
    truncate: (size) => file.truncate(size),
    sync: () => Promise.resolve(),
    close: () => file.close(),
  };
}

export async function* storeBench(note: (text: string) => void): AsyncGenerator<Line> {
  const root = await mkdtemp(join(tmpdir(), 'railyard-bench-store-'));
  try {
    for (const length of LENGTHS) {
      note(`store: ${APPENDS} appends to a session of ${length} events`);
      const sessionId = await fill(root, length);
      const plan = (n: number): AppendPlan => notesPlan(sessionId, `measured_${n}`, EVENTS_A_PLAN);
      yield await measure(root, `append at ${length}`, sessionId, plan, (floor) => floor.append());
    }
    note(`store: ${APPENDS} appends with a new snapshot each`);
    const sessionId = await fill(root, 11);
    const plan = (n: number): AppendPlan => advancePlan(sessionId, n + WARM_UP + 1);
    yield await measure(root, 'append, new snapshot', sessionId, plan, (floor) => floor.appendWithFile());
    yield* loads(root, note);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function measure(
  root: string,
  name: string,
  sessionId: SessionId,
  plan: (n: number) => AppendPlan,
  byHand: (floor: FsyncFloor) => Promise<void>,
): Promise<Line> {
  const store = unwrap(await openWorkrailStore({ root }));
  const floor = await FsyncFloor.open(await mkdtemp(join(root, 'floor-')));
  const [times, floors]: [number[], number[]] = [[], []];
  for (let n = -WARM_UP; n < APPENDS; n += 1) {
    const took = await timed(() => append(store, sessionId, plan(n)));
    const floorTook = await timed(() => byHand(floor));
    if (n < 0) continue;
    times.push(took);
    floors.push(floorTook);
  }
  await floor.close();
  return latency('store', name, times, floors);
}

/** Load 10,000 events of as many appends: in a process that knows them, in one that does not, and without the disk cache. */
async function* loads(root: string, note: (text: string) => void): AsyncGenerator<Line> {
  const length = 10_000;
  note(`store: loading ${length} events`);
  const sessionId = await fill(root, length);
  const known = unwrap(await openWorkrailStore({ root }));
  const load = async (store: WorkrailStore): Promise<void> => {
    const { eventCount } = unwrap(await store.sessions.load(sessionId));
    if (eventCount !== length) throw new Error(`The session has ${eventCount} events instead of ${length}.`);
  };
  const cold = async (): Promise<void> => load(unwrap(await openWorkrailStore({ root })));
  await load(known);
  const times = { warm: [] as number[], cold: [] as number[], bare: [] as number[] };
  for (let n = 0; n < LOADS; n += 1) times.warm.push(await timed(() => load(known)));
  for (let n = 0; n < LOADS; n += 1) times.cold.push(await timed(cold));
  await rm(join(root, 'sessions', sessionId, 'cache'), { recursive: true });
  for (let n = 0; n < LOADS; n += 1) times.bare.push(await timed(cold));
  yield latency('store', 'load 10,000, known', times.warm, times.bare);
  yield latency('store', 'load 10,000, cold', times.cold, times.bare);
  yield latency('store', 'load 10,000, cold, no cache', times.bare, times.bare);
}

/** A session of so many events, each appended by itself. */
async function fill(root: string, length: number): Promise<SessionId> {
  const store = unwrap(await openWorkrailStore({ root, fs: unsynced }));
  const sessionId = SessionId.parse(`sess_${length}_${process.hrtime.bigint()}`);
  const workflowHash = await pinWorkflow(store);
  await append(store, sessionId, birthPlan(sessionId, workflowHash));
  for (let n = 3; n < length; n += 1) await append(store, sessionId, notesPlan(sessionId, `filled_${n}`, 1));
  return sessionId;
}

async function append({ sessions }: WorkrailStore, sessionId: SessionId, plan: AppendPlan): Promise<void> {
  unwrap(await sessions.withSession(sessionId, (_, witness) => sessions.append(witness, [plan])));
}
