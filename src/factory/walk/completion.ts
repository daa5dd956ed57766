/** What a finished attempt leads to: section 4 of the Block v2 document, with thresholds on their named metric. */
import type { AttemptOutcome, FailureClass } from '../run-state';
import { missAttempt, recordAttempt } from './attempts';
import type { Draft } from './draft';
import type { Completion } from './events';
import { openGate } from './gates';
import { judge, scoreOf } from './thresholds';

/** Apply the outcome of the block's current attempt. What depends on the block is looked at afterwards, by `promote`. */
export function handleBlockCompletion(draft: Draft, id: string, outcome: AttemptOutcome): Completion {
  const planned = draft.planned(id);
  const miss = (failure: FailureClass, why: string, retry: 'retry' | 'final'): Completion =>
    missAttempt(draft, id, failure, why, retry) === 'retry'
      ? { action: 'retry' }
      : { action: 'failed', reason: failure };

  // 1. What came of it.
  const { metrics } = outcome;
  draft.patch(id, { ended_at: draft.at, metrics, score: scoreOf(planned, metrics) });
  if (outcome.kind === 'failed') {
    return miss(outcome.failure, outcome.error, outcome.failure === 'cancelled' ? 'final' : 'retry');
  }
  const { artifacts, notes, recordCounts } = outcome;
  draft.patch(id, { artifacts, notes, recordCounts });

  // 2. Thresholds. The artifacts stay with the block even then: a person may override.
  const { failure, why, warnings } = judge(planned.thresholds, metrics);
  for (const warning of warnings) draft.warn(id, `${warning} (attempt ${draft.block(id).attempt})`);
  if (failure) return miss(failure, why, 'retry');

  // 3. The gate after.
  if (planned.gates.after) {
    if (draft.state.status === 'cancelling') {
      return miss('cancelled', 'The run was cancelled before the gate after this block could open', 'final');
    }
    draft.move(id, 'done');
    openGate(draft, id, 'after');
    return draft.openGate(id) ? { action: 'await_approval', gate: id } : { action: 'continue' };
  }

  // 4. Done.
  draft.move(id, 'done');
  recordAttempt(draft, id, null, null);
  return { action: 'continue' };
}
