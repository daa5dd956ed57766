/** The audit of a run, from the store alone: for a run of this data directory, or any session that is one. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { type Home } from '../home';
import { RunLedger, type RunAudit } from '../ledger';
import { systemMinting, type HomeStore } from '../workrail/local';
import { findSession, type FoundSession } from './find-session';

/** Audit what a person named: a run, or a session. */
export async function auditRun(
  home: Home,
  store: HomeStore,
  name: string,
): Promise<Result<RunAudit, RailyardError>> {
  const found = await findSession(home, store.sessions, name);
  if (found.isErr()) return err(found.error);
  const run = found.value.run;
  return run === null ? err(noRun(name)) : ledgerOf(store, found.value).audit(run);
}

/** A ledger that knows one run, wherever its record is. */
export function ledgerOf(store: HomeStore, { sessionId, record }: FoundSession): RunLedger {
  const { sessions, snapshots, workflows, artifacts } = store;
  // An audit names artifacts relative to their workspace, so any place will do.
  const workspace = record?.shownWorkspace ?? record?.workspace ?? '/';
  const find = () => Promise.resolve(ok({ sessionId, workspace }));
  return new RunLedger({ sessions, snapshots, workflows, artifacts, minting: systemMinting, find });
}

/** There is such a session, and it is no factory run. */
export const noRun = (name: string): RailyardError =>
  problem('RUN_NOT_FOUND', `The session "${name}" is no factory run.`);
