/** Sessions for the store's benchmarks, filled without waiting for the disk. */
import {
  nodeFileSystem,
  openWorkrailStore,
  type FileSystem,
  type WorkrailStore,
} from '../src/workrail/local';
import { SessionId, type AppendPlan } from '../src/workrail/model';
import { birthPlan, notesPlan, pinWorkflow, unwrap } from './store-plans';

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

/** A session of so many events, each appended by itself. */
export async function fill(root: string, length: number): Promise<SessionId> {
  const store = unwrap(await openWorkrailStore({ root, fs: unsynced }));
  const sessionId = SessionId.parse(`sess_${length}_${process.hrtime.bigint()}`);
  const workflowHash = await pinWorkflow(store);
  await append(store, sessionId, birthPlan(sessionId, workflowHash));
  for (let n = 3; n < length; n += 1) await append(store, sessionId, notesPlan(sessionId, `filled_${n}`, 1));
  return sessionId;
}

/** One plan, in a gate of its own. */
export async function append(
  { sessions }: WorkrailStore,
  sessionId: SessionId,
  plan: AppendPlan,
): Promise<void> {
  unwrap(await sessions.withSession(sessionId, (_, witness) => sessions.append(witness, [plan])));
}
