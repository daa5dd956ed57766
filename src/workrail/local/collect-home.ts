/**
 * Retention in a data directory. Blocks of factory runs keep artifacts in the same place as sessions do, and which ones a run
 * refers to is for certain only in Temporal: the outcomes on disk need not outlive a power cut. So where there is a run, or was
 * one, no artifact is deleted.
 */
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { err, ok, type Result } from 'neverthrow';
import { isMissing } from '../../errno';
import { type RailyardError } from '../../errors';
import { type Home } from '../../home';
import { type ContentShelf, type SessionReader } from '../ports';
import { collectGarbage, type RetentionReport, type RetentionRun } from '../retention';
import { FolderShelf } from './content-shelf';
import { guarded } from './failure';
import { workrailRoot, type HomeStore } from './home-store';
import { KeepListFile } from './keep-list';
import { LocalSessionShelf } from './session-shelf';

export interface StoreCollected extends RetentionReport {
  /** `left_alone`: factory runs may refer to them. */
  readonly artifacts: 'swept' | 'left_alone';
}

/** Where factory runs leave what may refer to artifacts. */
const RUN_FOLDERS = ['runs', 'completed'];

/** Delete what may be deleted from the store of a data directory, and say what that was. */
export async function collectStoreOf(
  home: Home,
  { sessions }: HomeStore,
  run: RetentionRun,
  progress: (sessionsRead: number) => void = () => undefined,
): Promise<Result<StoreCollected, RailyardError>> {
  const root = workrailRoot(home);
  // Before anything is listed: a run that starts later puts what it refers to, and that is young.
  const alone = await guarded('looking for runs', () =>
    Promise.resolve(ok(RUN_FOLDERS.some((folder) => !isEmpty(home.path(folder))))),
  );
  if (alone.isErr()) return err(alone.error);
  const collected = await collectGarbage(
    {
      reader: counting(sessions, progress),
      sessions: new LocalSessionShelf(root),
      content: {
        snapshots: new FolderShelf(join(root, 'snapshots')),
        workflows: new FolderShelf(join(root, 'workflows', 'pinned')),
        artifacts: alone.value ? nothing : new FolderShelf(home.path('artifacts')),
      },
      keepList: new KeepListFile(root),
      others: [],
    },
    run,
  );
  return collected.map((report) => ({ ...report, artifacts: alone.value ? 'left_alone' : 'swept' }));
}

/** The same reader, telling how much it has read: every session twice, before and after deleting. */
function counting(reader: SessionReader, progress: (sessionsRead: number) => void): SessionReader {
  let read = 0;
  return {
    list: () => reader.list(),
    load: (sessionId) => reader.load(sessionId),
    loadValidatedPrefix: (sessionId) => {
      progress((read += 1));
      return reader.loadValidatedPrefix(sessionId);
    },
  };
}

/** A shelf that shows nothing, so that nothing is taken from it. */
const nothing: ContentShelf = {
  list: () => Promise.resolve(ok([])),
  remove: () => Promise.resolve(ok(false)),
};

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}
