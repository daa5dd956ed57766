/** What the tools stand on: the store of a data directory, and the workflows that can be started there. */
import { ok, type Result } from 'neverthrow';
import { openLedgerOf, type HomeLedger } from '../../activities';
import { type RailyardError } from '../../src/errors';
import { packageVersion, type Home } from '../../src/home';
import { catalogOf, currentSigner, systemMinting, type StoreObserver } from '../../src/workrail/local';
import { createProtocol } from '../../src/workrail/protocol';
import { type FaultLog } from './call-tool';
import { type McpOptions } from './mcp-server';

export interface ToolsOptions {
  /** The folder whose `.railyard/workflows` are offered too; null: there is none. */
  readonly project: string | null;
  readonly log: FaultLog;
  readonly observer?: StoreObserver;
  /** What this process has opened already; else it is opened here. */
  readonly opened?: HomeLedger;
}

/** Open them. Any number of processes may do so on one data directory. */
export async function openTools(
  home: Home,
  { project, log, observer, opened }: ToolsOptions,
): Promise<Result<McpOptions, RailyardError>> {
  const opening = opened ? ok(opened) : await openLedgerOf(home, observer ? { observer } : {});
  return opening.map(({ store: { sessions, snapshots, workflows, artifacts, keyring }, steward }) => ({
    protocol: createProtocol({
      ...{ sessions, snapshots, workflows, artifacts, steward },
      catalog: catalogOf(home, project),
      signer: () => currentSigner(keyring),
      minting: systemMinting,
    }),
    version: packageVersion(),
    log,
  }));
}
