/** The WorkRail store of a data directory and the ledger of its runs: one a process, shared by all that work on it. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { readRun, type Home } from '../src/home';
import { RunLedger } from '../src/ledger';
import { openStoreOf, systemMinting, type HomeStore, type HomeStoreOptions } from '../src/workrail/local';
import { SessionId } from '../src/workrail/model';

/** An opened store with its ledger. */
export interface HomeLedger {
  readonly store: HomeStore;
  readonly ledger: RunLedger;
}

/** Open the store of a data directory and make the ledger of its runs. */
export async function openLedgerOf(
  home: Home,
  options: HomeStoreOptions = {},
): Promise<Result<HomeLedger, RailyardError>> {
  const opened = await openStoreOf(home, options);
  if (opened.isErr()) return err(opened.error);
  const store = opened.value;
  const { sessions, snapshots, workflows, artifacts } = store;
  const ledger = new RunLedger({
    ...{ sessions, snapshots, workflows, artifacts, minting: options.minting ?? systemMinting },
    find: (run) =>
      Promise.resolve(
        readRun(home, run).map(({ sessionId, workspace, shownWorkspace }) => ({
          sessionId: SessionId.parse(sessionId),
          // Artifacts are named as skills are shown them.
          workspace: shownWorkspace ?? workspace,
        })),
      ),
  });
  return ok({ store, ledger });
}
