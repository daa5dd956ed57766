/** The WorkRail store of a data directory and the ledger of its runs: one a process, shared by all that work on it. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { attemptDir, FactoryShelf, previousArtifacts, readRun, type Home } from '../src/home';
import { FactorySteward, RunLedger, type AgentHost } from '../src/ledger';
import { ContentStore } from '../src/sandbox';
import { openStoreOf, systemMinting, type HomeStore, type HomeStoreOptions } from '../src/workrail/local';
import { SessionId } from '../src/workrail/model';
import { type Steward } from '../src/workrail/protocol';
import { createAgentHost } from './agent-host';

/** An opened store with its ledger. */
export interface HomeLedger {
  readonly store: HomeStore;
  readonly ledger: RunLedger;
  /** What agents may do in the sessions of its runs. */
  readonly steward: Steward;
}

export interface LedgerOptions extends HomeStoreOptions {
  /** Told of every run that an agent has changed; a service rings its workflow then, and finds out later without. */
  readonly ring?: (run: string) => void;
}

/** Open the store of a data directory and make the ledger of its runs. */
export async function openLedgerOf(
  home: Home,
  { ring = () => undefined, ...options }: LedgerOptions = {},
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
  const host = agentHostOf(home);
  return ok({ store, ledger, steward: new FactorySteward(ledger.shelf, host, ring) });
}

/** The workspaces of a data directory, for agents. */
export function agentHostOf(home: Home): AgentHost {
  const shelf = new FactoryShelf(home);
  return createAgentHost({
    runRecord: (run) => Promise.resolve(readRun(home, run)),
    compiledFactory: (hash) => Promise.resolve(shelf.read(hash)),
    store: new ContentStore(home.path('artifacts')),
    previousArtifacts: (run, block) =>
      readRun(home, run).match(
        (record) => previousArtifacts(home, record, block),
        () => Promise.resolve([]),
      ),
    attemptDir: (run, block, attempt) => attemptDir(home, run, block, attempt),
  });
}
