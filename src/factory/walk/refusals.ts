/** Why a person's request is refused: checks that more than one kind of request makes, in their words. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import type { GateKind, GateRule, PlannedBlock } from '../plan';
import type { GateDecision, GateState } from '../run-state';
import { sameDigests } from './evidence';
import type { View } from './view';

type Check<T = void> = Result<T, RailyardError>;

export function findBlock(view: View, id: string): Check<PlannedBlock> {
  const planned = view.index.blocks.get(id);
  return planned ? ok(planned) : err(unknownBlock(id));
}

export const unknownBlock = (id: string): RailyardError =>
  problem('BLOCK_NOT_FOUND', `This run has no block "${id}".`);

/** Is the run over for everything but a retry or an override of a failed block? */
export function isOver(view: View): boolean {
  const { status } = view.state;
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** `opening`: the gate the request was about, so that its sender hears who won. */
export function runEnded(view: View, opening?: GateState): RailyardError {
  const { status, reason } = view.state;
  const how =
    status === 'cancelling' ? 'is being cancelled' : status === 'failed' ? 'has failed' : `is ${status}`;
  return problem('RUN_ENDED', `The run ${how}${reason ? `: ${reason}` : ''}.`, {
    ...(status === 'failed'
      ? { suggestion: 'Retry a failed block or override its threshold, or start a new run.' }
      : {}),
    ...(opening?.outcome ? { details: { attempt: opening.attempt, outcome: opening.outcome } } : {}),
  });
}

/** `rule` is null where the block has no such gate: then any role may speak. */
export function checkRole(rule: GateRule | null, { block, role }: GateDecision): Check {
  const approvers = rule?.approvers ?? [];
  if (approvers.length === 0 || approvers.includes(role)) return ok();
  const message = `The role "${role}" may not decide for block "${block}"; ${approvers.join(', ')} may.`;
  return err(problem('GATE_ROLE_REFUSED', message, { details: { approvers } }));
}

/** Nobody approves a run of their own, unless the gate says so. Rejecting it is anybody's right. */
export function checkSelf(view: View, rule: GateRule | null, { decision, approver }: GateDecision): Check {
  const own = decision === 'approve' && approver === view.state.startedBy && rule?.selfApproval !== true;
  return own ? err(problem('GATE_SELF_APPROVAL', `${approver} started this run.`)) : ok();
}

export function checkAttempt(view: View, { block, attempt }: GateDecision): Check {
  const current = view.block(block).attempt;
  if (attempt === null || attempt === current) return ok();
  const message = `The decision is for attempt ${attempt} of block "${block}"; the current one is ${current}.`;
  return err(problem('GATE_ATTEMPT_STALE', message, { details: { attempt: current } }));
}

export function checkDigests(view: View, gate: GateKind, { block, digests }: GateDecision): Check {
  if (sameDigests(view, block, gate, digests)) return ok();
  const what = gate === 'before' ? 'inputs' : 'artifacts';
  return err(
    problem(
      'GATE_EVIDENCE_STALE',
      `The decision names other ${what} of block "${block}" than the current ones.`,
    ),
  );
}
