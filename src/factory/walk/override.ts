/** Passing a block that failed its threshold, on a person's word and in that person's name. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import type { PlannedBlock } from '../plan';
import type { GateAnswer, GateDecision } from '../run-state';
import type { Draft } from './draft';
import { newOpening, outcomeOf } from './gates';
import { checkAttempt, checkDigests, checkRole, checkSelf, runEnded } from './refusals';
import { judge, missed } from './thresholds';
import type { View } from './view';

/** Override a missed threshold: the block is done with the artifacts of its last attempt, and is not asked about again. */
export function override(
  draft: Draft,
  planned: PlannedBlock,
  decision: GateDecision,
): Result<GateAnswer, RailyardError> {
  const { id, gates } = planned;
  const { status } = draft.state;
  if (status === 'completed' || status === 'cancelled' || status === 'cancelling') {
    return err(runEnded(draft, draft.opening(id, 'after')));
  }
  if (!missedThreshold(draft, id)) return err(notPossible(draft, id));
  return checkRole(gates.after, decision)
    .andThen(() => checkSelf(draft, gates.after, decision))
    .andThen(() => checkAttempt(draft, decision))
    .andThen(() => checkJustified(draft, planned, decision))
    .andThen(() => checkDigests(draft, 'after', decision))
    .map(() => passAnyway(draft, planned, decision));
}

/** What to say to a plain approval of a block that failed its threshold; null where that is not the case. */
export function hintOverride(
  view: View,
  planned: PlannedBlock,
  decision: GateDecision,
): RailyardError | null {
  const { status } = view.state;
  if (decision.decision !== 'approve' || status === 'cancelled' || status === 'cancelling') return null;
  if (!missedThreshold(view, planned.id)) return null;
  const allowed = missed(planned.thresholds, view.block(planned.id).metrics).every(
    (rule) => rule.overrideAllowed,
  );
  return problem(
    'OVERRIDE_NOT_POSSIBLE',
    `Block "${planned.id}" failed its threshold; approving is not enough.`,
    {
      suggestion: allowed
        ? 'Approve it with "override": true and a "justification", or retry the block.'
        : 'Retry the block: its threshold allows no override.',
    },
  );
}

const missedThreshold = (view: View, id: string): boolean => {
  const { status, failure } = view.block(id);
  return status === 'failed' && failure === 'threshold_not_met';
};

function notPossible(view: View, id: string): RailyardError {
  const { status, failure } = view.block(id);
  const outcome = view.opening(id, 'after')?.outcome;
  return problem('OVERRIDE_NOT_POSSIBLE', `Block "${id}" is ${status}${failure ? ` (${failure})` : ''}.`, {
    ...(status === 'waiting' ? { suggestion: 'Its gate is open: decide without "override".' } : {}),
    ...(outcome ? { details: { outcome } } : {}),
  });
}

function checkJustified(
  view: View,
  planned: PlannedBlock,
  { justification }: GateDecision,
): Result<void, RailyardError> {
  const { id, thresholds } = planned;
  if (justification.trim() === '') {
    return err(problem('JUSTIFICATION_REQUIRED', `An override of block "${id}" needs a reason.`));
  }
  const fixed = missed(thresholds, view.block(id).metrics).filter((rule) => !rule.overrideAllowed);
  if (fixed.length === 0) return ok();
  const metrics = fixed.map(({ metric }) => metric);
  return err(
    problem(
      'OVERRIDE_NOT_ALLOWED',
      `The threshold on ${metrics.join(', ')} of block "${id}" allows no override.`,
      {
        details: { metrics },
      },
    ),
  );
}

function passAnyway(draft: Draft, { id, thresholds }: PlannedBlock, decision: GateDecision): GateAnswer {
  const { approver: by, role, notes, justification } = decision;
  const opening = newOpening(draft, id, 'after');
  const outcome = outcomeOf(draft, opening, 'approved', 'override', { by, role, notes, justification });
  draft.addOpening({ ...opening, outcome });
  draft.takeEarly(id, 'after');
  draft.warn(id, `${judge(thresholds, draft.block(id).metrics).why}; overridden by ${by}: ${justification}`);
  draft.move(id, 'done', { failure: null, error: null });
  if (draft.state.status === 'failed') draft.write({ status: 'running', endedAt: null, reason: null });
  return {
    kind: 'decided',
    block: id,
    gate: 'after',
    attempt: opening.attempt,
    decision: 'approved',
    via: 'override',
  };
}
