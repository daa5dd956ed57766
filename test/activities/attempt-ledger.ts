/** The ledger of a run that attempts are executed for, in a folder of its own. */
import { join } from 'node:path';
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type Compilation } from '../../src/factory/compile';
import { RunLedger } from '../../src/ledger';
import { openWorkrailStore, systemMinting } from '../../src/workrail/local';
import { SessionId } from '../../src/workrail/model';

/** Open the ledger below a folder and see to it that the run `r` has begun; once more does no harm. */
export async function openAttemptLedger(
  root: string,
  { compiled, factoryHash, plan }: Compilation,
): Promise<RunLedger> {
  const artifacts = join(root, 'artifacts');
  const store = unwrap(await openWorkrailStore({ root: join(root, 'workrail'), artifacts }));
  const [run, sessionId, workspace] = ['r', SessionId.parse('r'), join(root, 'workspace')];
  const ledger = new RunLedger({
    ...store,
    minting: systemMinting,
    find: () => Promise.resolve(ok({ sessionId, workspace })),
  });
  const start = { run, sessionId, compiled, factoryHash, plan, parameters: {}, startedBy: 'sam', workspace };
  unwrap(await ledger.begin(start));
  return ledger;
}

/** Bring the block to an attempt: those before it have failed. */
export async function reachAttempt(ledger: RunLedger, block: string, attempt: number): Promise<void> {
  const outcome = { kind: 'failed', failure: 'error', error: 'before', metrics: {} } as const;
  for (let before = 1; before < attempt; before += 1) {
    const proposals = [{ type: 'attempt-finished', block, attempt: before, outcome } as const];
    unwrap(await ledger.record({ run: 'r', epoch: 1, seen: 0, proposals }));
  }
}

function unwrap<T>(result: Result<T, RailyardError>): T {
  if (result.isErr()) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}
