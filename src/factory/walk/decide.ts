/** A person's decision at a gate: the checks, in their order, and then one vote. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import type { GateKind, PlannedBlock, WalkPlan } from '../plan';
import type { GateAnswer, GateDecision, GateState, RunState } from '../run-state';
import type { Draft } from './draft';
import { castVote } from './gates';
import { hintOverride, override } from './override';
import { checkAttempt, checkDigests, checkRole, checkSelf, findBlock, isOver, runEnded } from './refusals';
import { View } from './view';

type Answered = Result<GateAnswer, RailyardError>;

/** Apply a decision. The same id gets the same answer again, whatever has happened since. */
export function decide(draft: Draft, decision: GateDecision): Answered {
  const { id } = decision;
  const before = Object.hasOwn(draft.state.decisions, id) ? draft.state.decisions[id] : undefined;
  if (before) return ok(before);
  return findBlock(draft, decision.block)
    .andThen((planned) =>
      decision.override && decision.decision === 'approve'
        ? override(draft, planned, decision)
        : decideGate(draft, planned, decision),
    )
    .map((answer) => draft.answered(id, answer));
}

/**
 * Why a decision can never be accepted, or null: an unknown block or gate, a role that may not decide, an attempt of the
 * past. What depends on the moment (an open gate, a run that is paused) is left to `decide`.
 */
export function refusedForGood(
  plan: WalkPlan,
  state: RunState,
  decision: GateDecision,
): RailyardError | null {
  if (Object.hasOwn(state.decisions, decision.id)) return null;
  const view = new View(plan, state);
  const checked = findBlock(view, decision.block).andThen((planned) => {
    const past = decision.attempt !== null && decision.attempt < view.block(planned.id).attempt;
    return gateMeant(planned, decision)
      .andThen((gate) => (gate === null ? ok() : checkRole(planned.gates[gate], decision)))
      .andThen(() => (past ? checkAttempt(view, decision) : ok()));
  });
  return checked.isErr() ? checked.error : null;
}

/** The gate that is meant, as far as the plan alone tells; null where it depends on which one is open. */
function gateMeant(
  { id, gates }: PlannedBlock,
  { gate, override: overrides }: GateDecision,
): Result<GateKind | null, RailyardError> {
  if (overrides) return ok('after');
  if (gate !== null) {
    return gates[gate] ? ok(gate) : err(problem('GATE_NOT_FOUND', `Block "${id}" has no gate ${gate} it.`));
  }
  if (!gates.before && !gates.after) return err(problem('GATE_NOT_FOUND', `Block "${id}" has no gate.`));
  return ok(gates.before && gates.after ? null : gates.after ? 'after' : 'before');
}

function decideGate(draft: Draft, planned: PlannedBlock, decision: GateDecision): Answered {
  const block = planned.id;
  const hint = hintOverride(draft, planned, decision);
  if (hint) return err(hint);
  const named = nameGate(draft, planned, decision);
  if (isOver(draft)) {
    return err(runEnded(draft, named.isOk() ? draft.opening(block, named.value) : undefined));
  }
  if (named.isErr()) return err(named.error);
  const gate = named.value;
  const rule = planned.gates[gate];
  const opening = draft.opening(block, gate);

  return checkRole(rule, decision)
    .andThen(() => checkSelf(draft, rule, decision))
    .andThen(() => checkAttempt(draft, decision))
    .andThen(() => (opening?.outcome ? err(alreadyDecided(opening)) : ok()))
    .andThen(() => {
      if (!opening) return keep(draft, gate, decision);
      return checkDigests(draft, gate, decision).andThen(() => castVote(draft, opening, decision));
    });
}

/**
 * The gate that is meant. One that is not named is the open one, or the only one. With two gates and none open it must
 * be named: else an approval that came too late for the gate before would count, unseen, for the gate after.
 */
function nameGate(
  draft: Draft,
  planned: PlannedBlock,
  decision: GateDecision,
): Result<GateKind, RailyardError> {
  return gateMeant(planned, { ...decision, override: false }).andThen((gate) => {
    const meant = gate ?? draft.openGate(planned.id)?.gate;
    if (meant) return ok(meant);
    return err(
      problem('GATE_NOT_FOUND', `Block "${planned.id}" has two gates and neither is open.`, {
        suggestion: 'Say in "gate" which one is meant: "before" or "after".',
      }),
    );
  });
}

/** The gate is not open yet: keep the decision until it is. A person's later word replaces the earlier one. */
function keep(draft: Draft, gate: GateKind, decision: GateDecision): Answered {
  const { block, approver } = decision;
  if (draft.state.status === 'cancelling') return err(runEnded(draft));
  if (draft.block(block).status === 'failed') {
    return err(problem('GATE_UNREACHABLE', `Block "${block}" failed before its gate ${gate} opened.`));
  }
  const others = draft.state.early.filter(
    (one) => !(one.block === block && one.gate === gate && one.approver === approver),
  );
  draft.write({ early: [...others, { ...decision, gate }] });
  return ok({ kind: 'kept', block, gate });
}

function alreadyDecided({ block, gate, attempt, outcome }: GateState): RailyardError {
  const who = outcome ? `${outcome.decision} by ${outcome.by} at ${outcome.at}` : 'closed';
  return problem('GATE_ALREADY_DECIDED', `The gate ${gate} block "${block}" was ${who}.`, {
    details: { attempt, outcome },
  });
}
