/** The one way to a store on this machine. */
import { dirname } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type SessionId } from '../model';
import {
  type ArtifactStore,
  type Minting,
  type PinnedWorkflowStore,
  type SessionImporter,
  type SessionStore,
  type SnapshotStore,
} from '../ports';
import { Checks, type CheckProgress, type SessionCheck, type StoreCheck } from './check';
import {
  artifactsIn,
  artifactStore,
  snapshotsIn,
  snapshotStore,
  workflowsIn,
  wholeBytes,
  workflowStore,
} from './content-stores';
import { guarded } from './failure';
import { type FileSystem } from './file-system';
import { Layout } from './layout';
import { systemMinting } from './minting';
import { nodeFileSystem } from './node-file-system';
import { type StoreObserver } from './observer';
import { repairSession, type RepairReport } from './repair';
import { SessionFiles } from './session-files';
import { LocalSessionImporter } from './session-importer';
import { LocalSessionStore } from './session-store';

/** Events that this process keeps in memory, over all sessions; about 1 KB each. */
const DEFAULT_MAX_EVENTS = 200_000;

export interface StoreOptions {
  /** The folder of the store. */
  readonly root: string;
  /** Where artifacts are, if not in a folder of the store: others may keep theirs in the same place. */
  readonly artifacts?: string;
  readonly fs?: FileSystem;
  readonly minting?: Minting;
  readonly maxEvents?: number;
  /** Hears of appends and of waiting for locks. */
  readonly observer?: StoreObserver;
}

/** An opened store. Several may be open on one folder, in one process or many. */
export interface WorkrailStore {
  readonly sessions: SessionStore;
  readonly importer: SessionImporter;
  readonly snapshots: SnapshotStore;
  readonly workflows: PinnedWorkflowStore;
  readonly artifacts: ArtifactStore;
  /** Read every byte of a session, content included. */
  checkSession(sessionId: SessionId): Promise<Result<SessionCheck, RailyardError>>;
  /** The same for every session, and what nothing refers to. */
  checkStore(progress?: CheckProgress): Promise<Result<StoreCheck, RailyardError>>;
  /** Set an unfinished append aside; anything else that is wrong is refused. */
  repair(sessionId: SessionId): Promise<Result<RepairReport, RailyardError>>;
}

/** Open a store, making its folders if need be. */
export async function openWorkrailStore(
  options: StoreOptions,
): Promise<Result<WorkrailStore, RailyardError>> {
  const { root, fs = nodeFileSystem, minting = systemMinting, maxEvents = DEFAULT_MAX_EVENTS } = options;
  const layout = new Layout(root, options.artifacts);
  const made = await guarded('opening the store', async () => {
    await makeFolders(fs, layout);
    return ok(undefined);
  });
  if (made.isErr()) return err(made.error);
  const [snapshots, workflows] = [snapshotsIn(fs, layout), workflowsIn(fs, layout)];
  const contents = { snapshots, workflows };
  const blobs = artifactsIn(layout);
  const files = new SessionFiles(fs, layout, maxEvents);
  const parts = { fs, layout, files, contents, minting, observer: options.observer };
  const sessions = new LocalSessionStore(parts);
  const checks = new Checks(fs, layout, files, contents, (digest) => wholeBytes(blobs, digest));
  return ok({
    sessions,
    importer: new LocalSessionImporter(parts),
    snapshots: snapshotStore(snapshots),
    workflows: workflowStore(workflows),
    artifacts: artifactStore(blobs),
    checkSession: (sessionId) => checks.session(sessionId),
    checkStore: async (progress) => {
      const ids = await sessions.list();
      return ids.isErr() ? err(ids.error) : checks.store(ids.value, progress);
    },
    repair: (sessionId) => repairSession(fs, layout, files, sessionId),
  });
}

/** Make the folders that are not there, and make them durable. */
async function makeFolders(fs: FileSystem, layout: Layout): Promise<void> {
  const folders = [layout.sessions(), layout.snapshots(), layout.workflows()];
  const absent = folders.filter((folder) => fs.stat(folder) === null);
  if (absent.length === 0) return;
  const fresh = fs.stat(layout.root) === null;
  for (const folder of absent) fs.makeFolder(folder);
  await fs.syncFolder(layout.pinnedParent());
  await fs.syncFolder(layout.root);
  if (fresh) await fs.syncFolder(dirname(layout.root));
}
