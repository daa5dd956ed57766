/** Before a run goes on elsewhere: nobody writes to it here any more. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../errors';
import { type RunLedger } from '../ledger';

/** Who drives a run that has moved away: no workflow. */
const MOVED = 'moved';

/**
 * Take a run from whoever drives it here: from the next append on he is refused, and ends. A run that is over has nobody to
 * be taken from. Answers with the epoch that stands then.
 */
export async function fenceRun(
  ledger: RunLedger,
  run: string,
  by: string,
): Promise<Result<{ readonly epoch: number; readonly fenced: boolean }, RailyardError>> {
  const standing = await ledger.standing(run);
  if (standing.isErr()) return err(standing.error);
  const { state, epoch } = standing.value;
  if (state.status === 'completed' || state.status === 'cancelled') return ok({ epoch, fenced: false });
  const taken = await ledger.takeOver(run, { workflowId: MOVED, by, restartDeadlines: false });
  return taken.map((driver) => ({ epoch: driver.epoch, fenced: true }));
}
