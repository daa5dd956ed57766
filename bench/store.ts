/**
 * The WorkRail store against the syncs that the locks prescribe, written by hand and taken in turn with it: appends to short
 * and long sessions, appends that bring a new snapshot, and loading a session of 10,000 appends; ranking 1,000 sessions for a
 * resume, and export and import, against reading and writing the same JSON by hand.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorkrailStore, type WorkrailStore } from '../src/workrail/local';
import { type AppendPlan, type SessionId } from '../src/workrail/model';
import { bundleLines } from './bundles';
import { append, fill } from './filled';
import { FsyncFloor } from './fsync';
import { latency, timed, type Line } from './report';
import { resumeLines } from './resume';
import { advancePlan, notesPlan, unwrap } from './store-plans';

const APPENDS = 300;
const WARM_UP = 30;
/** As many as the floor's. */
const EVENTS_A_PLAN = 4;
const LENGTHS = [10, 1000, 10_000];
const LOADS = 7;

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
    yield* resumeLines(join(root, 'resume'), note);
    yield* bundleLines(join(root, 'bundles'), note);
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
