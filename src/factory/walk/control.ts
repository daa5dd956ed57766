/**
 * Pause, resume, cancel, and the retry of a failed block.
 *
 * Pausing starts nothing new and lets what runs come to its end; gates go on being decided. Cancelling is for good: open
 * gates are closed, running attempts are told to stop, and the run is cancelled when the last of them has reported. A
 * failed run can be cancelled too: it waits for a retry or an override, and this says that none will come.
 * Asking for what is already so changes nothing and is no error; `true` means that something changed.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { nextAttempt } from './attempts';
import type { Draft } from './draft';
import { isEnding, neededBlocks } from './ending';
import { cancelGate } from './gates';
import { findBlock, isOver, runEnded } from './refusals';

type Changed = Result<boolean, RailyardError>;

export function pause(draft: Draft, by: string): Changed {
  const { status } = draft.state;
  if (isOver(draft) || status === 'cancelling') return err(runEnded(draft));
  if (status !== 'running') return ok(false);
  draft.write({ status: 'pausing', reason: `Paused by ${by}` });
  return ok(true);
}

export function resume(draft: Draft): Changed {
  const { status } = draft.state;
  if (isOver(draft) || status === 'cancelling') return err(runEnded(draft));
  if (status === 'running') return ok(false);
  draft.write({ status: 'running', reason: null });
  return ok(true);
}

export function cancel(draft: Draft, by: string, why: string | undefined): Changed {
  const { status } = draft.state;
  if (status === 'cancelled' || status === 'cancelling') return ok(false);
  if (status === 'completed') return err(runEnded(draft));
  const reason = `Cancelled by ${by}${why ? `: ${why}` : ''}`;
  if (status === 'failed') {
    draft.write({ status: 'cancelled', reason: `${reason} (${draft.state.reason ?? 'the run had failed'})` });
    return ok(true);
  }
  draft.write({ status: 'cancelling', reason });
  for (const { id } of draft.plan.blocks) {
    const { status: is, attempt } = draft.block(id);
    const opening = draft.openGate(id);
    if (opening) cancelGate(draft, opening, by);
    else if (is === 'running') draft.effect({ type: 'cancel-attempt', block: id, attempt });
  }
  return ok(true);
}

/** Give a failed block a fresh budget; a run that had failed goes on. Answers with the number of the new attempt. */
export function retryBlock(draft: Draft, id: string): Result<number, RailyardError> {
  return findBlock(draft, id).andThen(() => {
    const { status } = draft.state;
    if (status === 'completed' || status === 'cancelled' || status === 'cancelling')
      return err(runEnded(draft));
    const { status: is } = draft.block(id);
    if (is !== 'failed') return err(problem('BLOCK_NOT_FAILED', `Block "${id}" is ${is}.`));
    // The run would go on for a block that it does not wait for, and end again at once.
    if (isEnding(draft) && !neededBlocks(draft).has(id)) return err(runEnded(draft));
    if (status === 'failed') draft.write({ status: 'running', endedAt: null, reason: null });
    nextAttempt(draft, id, 0);
    return ok(draft.block(id).attempt);
  });
}

/**
 * Another workflow drives the run from here on. Where the run stood still meanwhile, nobody could decide: an open gate has
 * its whole time again.
 */
export function takeOver(draft: Draft, by: string, restartDeadlines: boolean): void {
  if (!restartDeadlines) return;
  for (const { block, gate, deadline, outcome } of draft.state.gates) {
    const timeoutMs = draft.planned(block).gates[gate]?.timeoutMs ?? null;
    if (outcome || deadline === null || timeoutMs === null) continue;
    draft.patchOpening(block, gate, { deadline: draft.after(timeoutMs), overdue: false });
    draft.warn(block, `The time of the gate ${gate} it began anew: the run was taken over by ${by}`);
  }
}
