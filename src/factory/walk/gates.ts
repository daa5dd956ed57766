/**
 * Human gates. An opening is (block, gate, attempt); it is closed once, by whichever comes first of a decision, its
 * deadline and a cancel, and what comes later hears who won.
 *
 * - A gate before opens when the dependencies are met; a gate after opens when the attempt has passed its thresholds.
 * - Decisions that came early are applied as the gate opens, if attempt and digests still fit.
 * - An approval stands: the same gate on the same evidence is not asked again for a later attempt.
 * - A deadline approves where the gate says so; elsewhere it marks the gate overdue, which stays open.
 * - Approval before: the block starts, or waits for its turn. Approval after: the block is done.
 * - Rejection: the next attempt, with the feedback, while there is budget; else, or with abort, the block has failed.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import type { GateKind, GateRule } from '../plan';
import type { GateAnswer, GateDecision, GateOutcome, GateState } from '../run-state';
import { missAttempt, noteInputs, recordAttempt, startAttempt } from './attempts';
import type { Draft } from './draft';
import { evidence, sameDigests } from './evidence';
import { tally } from './quorum';
import { readiness } from './readiness';

/** Open a gate of the block for its current attempt, unless an earlier approval stands. */
export function openGate(draft: Draft, id: string, gate: GateKind): void {
  const { attempt } = draft.block(id);
  // A rejection here is an answer to these inputs; the gate is not opened for them again.
  if (gate === 'before') noteInputs(draft, id);
  const early = draft.takeEarly(id, gate).filter((decision) => stillFits(draft, decision, gate));
  const standing = standingApproval(draft, id, gate);
  // A rejection that is already on the table outweighs an approval of the past.
  if (standing && !early.some(({ decision }) => decision === 'reject')) {
    draft.addOpening({ ...newOpening(draft, id, gate), outcome: standing });
    if (gate === 'after') recordAttempt(draft, id, null, null);
    return;
  }

  const { timeoutMs } = ruleOf(draft, id, gate);
  draft.addOpening({
    ...newOpening(draft, id, gate),
    deadline: timeoutMs === null ? null : draft.after(timeoutMs),
  });
  draft.move(id, 'waiting');
  if (timeoutMs !== null) {
    draft.effect({ type: 'start-gate-timer', block: id, gate, attempt, afterMs: timeoutMs });
  }
  for (const decision of early) {
    const opening = draft.openGate(id);
    if (opening) castVote(draft, opening, decision);
    else draft.warn(id, dropped(decision, gate, 'another early decision had closed the gate'));
  }
}

/** Count a decision that has passed every check on who sent it and what it was made for. */
export function castVote(
  draft: Draft,
  opening: GateState,
  decision: GateDecision,
): Result<GateAnswer, RailyardError> {
  const { block, gate, attempt } = opening;
  const { approver, role } = decision;
  if (decision.decision === 'reject') {
    reject(draft, opening, decision);
    return ok({ kind: 'decided', block, gate, attempt, decision: 'rejected', via: 'decision' });
  }

  if (opening.votes.some((vote) => vote.approver === approver)) {
    return err(
      problem('GATE_VOTE_REPEATED', `${approver} has already approved the gate ${gate} block "${block}".`),
    );
  }
  const votes = [...opening.votes, { approver, role, at: draft.at, id: decision.id }];
  draft.patchOpening(block, gate, { votes });
  const { have, need } = tally(ruleOf(draft, block, gate), votes);
  if (have < need) return ok({ kind: 'counted', block, gate, attempt, have, need });

  const said = { by: approver, role, notes: decision.notes };
  draft.closeOpening(opening, outcomeOf(draft, opening, 'approved', 'decision', said));
  pass(draft, block, gate);
  return ok({ kind: 'decided', block, gate, attempt, decision: 'approved', via: 'decision' });
}

/** The deadline of an opening has passed. Null: that opening is not open any more. */
export function timeOut(
  draft: Draft,
  id: string,
  gate: GateKind,
  attempt: number,
): 'approved' | 'overdue' | null {
  const opening = draft.opening(id, gate);
  if (opening?.attempt !== attempt || opening.outcome !== null || opening.overdue) return null;
  if (!ruleOf(draft, id, gate).autoApproveOnTimeout) {
    draft.patchOpening(id, gate, { overdue: true });
    return 'overdue';
  }
  draft.closeOpening(opening, outcomeOf(draft, opening, 'approved', 'timeout', { by: 'timeout' }));
  pass(draft, id, gate);
  return 'approved';
}

/** The run is cancelled while the gate is open. */
export function cancelGate(draft: Draft, opening: GateState, by: string): void {
  draft.closeOpening(opening, outcomeOf(draft, opening, 'cancelled', 'cancel', { by }));
  missAttempt(draft, opening.block, 'cancelled', `Cancelled by ${by} while its gate was open`, 'final');
}

/** An opening of the block's current attempt, as it is at first. */
export function newOpening(draft: Draft, block: string, gate: GateKind): GateState {
  return {
    block,
    gate,
    attempt: draft.block(block).attempt,
    openedAt: draft.at,
    deadline: null,
    overdue: false,
    votes: [],
    outcome: null,
  };
}

/** An outcome, with what it was applied to. */
export function outcomeOf(
  draft: Draft,
  { block, gate }: Pick<GateState, 'block' | 'gate'>,
  decision: GateOutcome['decision'],
  via: GateOutcome['via'],
  said: Partial<GateOutcome> & Pick<GateOutcome, 'by'>,
): GateOutcome {
  return {
    decision,
    via,
    role: '',
    action: null,
    notes: '',
    feedback: '',
    justification: '',
    at: draft.at,
    evidence: evidence(draft, block, gate),
    ...said,
  };
}

function pass(draft: Draft, id: string, gate: GateKind): void {
  if (gate === 'after') {
    draft.move(id, 'done');
    recordAttempt(draft, id, null, null);
  } else if (draft.state.status === 'running' && readiness(draft, id) === 'ready') {
    startAttempt(draft, id);
  } else {
    draft.move(id, 'pending');
  }
}

function reject(draft: Draft, opening: GateState, decision: GateDecision): void {
  const { block, gate, attempt } = opening;
  const { approver: by, role, action, notes, feedback } = decision;
  draft.closeOpening(
    opening,
    outcomeOf(draft, opening, 'rejected', 'decision', { by, role, action, notes, feedback }),
  );
  if (feedback.trim() !== '') {
    const said = { attempt, from: by, role, text: feedback };
    draft.patch(block, { feedback: [...draft.block(block).feedback, said] });
  }
  const who = `The gate ${gate} was rejected by ${by}${role ? ` (${role})` : ''}`;
  if (action === 'abort') missAttempt(draft, block, 'gate_rejected', `${who}, who ended the block`, 'final');
  else missAttempt(draft, block, 'gate_rejected', who, 'retry');
}

function standingApproval(draft: Draft, id: string, gate: GateKind): GateOutcome | null {
  // On the first attempt there is nothing to look for, and most gates open there.
  if (draft.block(id).attempt === 1) return null;
  const now = evidence(draft, id, gate);
  // The last word counts: an approval that a rejection followed stands no more.
  const earlier = draft.state.gates.findLast(
    ({ block, gate: kind, outcome }) => block === id && kind === gate && outcome !== null,
  );
  if (!earlier?.outcome) return null;
  const { decision, via, by, role, evidence: then } = earlier.outcome;
  const same = then.length === now.length && then.every((line, at) => line === now[at]);
  if (decision !== 'approved' || via === 'override' || !same) return null;
  const notes = `Stands from attempt ${earlier.attempt}: nothing it was applied to has changed`;
  return outcomeOf(draft, earlier, 'approved', 'standing', { by, role, notes });
}

/** An early decision that no longer fits is dropped, and the block says so. */
function stillFits(draft: Draft, decision: GateDecision, gate: GateKind): boolean {
  const { block: id } = decision;
  const { attempt } = draft.block(id);
  const stale =
    decision.attempt !== null && decision.attempt !== attempt
      ? `it was made for attempt ${decision.attempt}, this is ${attempt}`
      : sameDigests(draft, id, gate, decision.digests)
        ? null
        : 'it was made for other artifacts';
  if (stale === null) return true;
  draft.warn(id, dropped(decision, gate, stale));
  return false;
}

const dropped = ({ approver }: GateDecision, gate: GateKind, why: string): string =>
  `The early decision of ${approver} at the gate ${gate} was dropped: ${why}`;

function ruleOf(draft: Draft, id: string, gate: GateKind): GateRule {
  const rule = draft.planned(id).gates[gate];
  if (!rule) throw new Error(`Bug: block ${id} has no gate ${gate}`);
  return rule;
}
