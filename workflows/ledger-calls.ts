/**
 * Calls to the ledger. They are local activities: an append takes a few milliseconds, and the ledger is on the host that
 * runs the workflow. One that has failed for five seconds goes on as an ordinary activity, which has no end. A cancel of
 * the run does not touch them: what has begun to be written is heard of.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  log,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import { err, ok, type Result } from 'neverthrow';
import type { RailyardError } from '../src/errors';
import type { LedgerActivities } from '../src/ledger/run-activities';

const local = proxyLocalActivities<LedgerActivities>({
  scheduleToCloseTimeout: 5_000,
  retry: { initialInterval: 50, backoffCoefficient: 2, maximumInterval: 1_000 },
});

const ordinary = proxyActivities<LedgerActivities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
});

/** Ask the ledger until it answers. An error is what no further try would change. */
export async function askLedger<T>(
  ask: (ledger: LedgerActivities) => Promise<T>,
): Promise<Result<T, RailyardError>> {
  return CancellationScope.nonCancellable(async () => {
    try {
      return ok(await ask(local));
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) return err(refusal);
      log.warn('The ledger does not answer at once; it is asked by an ordinary activity', { error });
    }
    try {
      return ok(await ask(ordinary));
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) return err(refusal);
      throw error;
    }
  });
}

/** The envelope of a failure that is not worth another try; null: it is something else. */
export function refusalIn(error: unknown): RailyardError | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || cause.nonRetryable !== true) return null;
  const [envelope] = cause.details ?? [];
  // Our own activities put it there.
  return (envelope ?? null) as RailyardError | null;
}
