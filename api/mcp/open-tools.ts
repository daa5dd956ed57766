/** What the tools stand on: the store of a data directory, and the workflows that can be started there. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { packageVersion, type Home } from '../../src/home';
import {
  catalogOf,
  currentSigner,
  openStoreOf,
  systemMinting,
  type StoreObserver,
} from '../../src/workrail/local';
import { createProtocol } from '../../src/workrail/protocol';
import { type FaultLog } from './call-tool';
import { type McpOptions } from './mcp-server';

export interface ToolsOptions {
  /** The folder whose `.railyard/workflows` are offered too; null: there is none. */
  readonly project: string | null;
  readonly log: FaultLog;
  readonly observer?: StoreObserver;
}

/** Open them. Any number of processes may do so on one data directory. */
export async function openTools(
  home: Home,
  { project, log, observer }: ToolsOptions,
): Promise<Result<McpOptions, RailyardError>> {
  const store = await openStoreOf(home, observer ? { observer } : {});
  return store.map(({ sessions, snapshots, workflows, artifacts, keyring }) => ({
    protocol: createProtocol({
      ...{ sessions, snapshots, workflows, artifacts },
      catalog: catalogOf(home, project),
      signer: () => currentSigner(keyring),
      minting: systemMinting,
    }),
    version: packageVersion(),
    log,
  }));
}
