/** A person's decision at a gate: the checks, in their order, and then one vote. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import type { GateKind, PlannedBlock, WalkPlan } from '../plan';
import type { GateAnswer, GateDecision, GateState, RunState } from '../run-state';
import type { Draft } from './draft';
import { castVote } from './gates';
import { hintOverride, override } from './override';
import { indexOf } from './plan-index';
import {
  checkAttempt,
  checkDigests,
  checkRole,
  checkSelf,
  findBlock,
  isOver,
  runEnded,
  unknownBlock,
} from './refusals';
import { View } from './view';

type Answered = Result<GateAnswer, RailyardError>;

/** Apply a decision. The same id gets the same answer again, whatever has happened since. */
export function decide(draft: Draft, decision: GateDecision): Answered {
  const { id, block } = decision;
  const before = Object.hasOwn(draft.state.decisions, id) ? draft.state.decisions[id] : undefined;
  if (before) {
    if (before.block === block && before.decision === decision.decision) return ok(before.answer);
    const message = `The key "${id}" belongs to another decision: ${before.decision} block "${before.block}".`;
    return err(problem('IDEMPOTENCY_KEY_REUSED', message));
  }
  return findBlock(draft, decision.block)
    .andThen((planned) =>
      decision.override && decision.decision === 'approve'
        ? override(draft, planned, decision)
        : decideGate(draft, planned, decision),
    )
    .map((answer) => draft.answered(decision, answer));
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
  const refused = refusedByPlan(plan, decision);
  if (refused) return refused;
  const view = new View(plan, state);
  if (decision.attempt === null || decision.attempt >= view.block(decision.block).attempt) return null;
  const checked = checkAttempt(view, decision);
  return checked.isErr() ? checked.error : null;
}

/** The part of that which the plan alone tells: it can be said while nobody knows the run's state. */
export function refusedByPlan(plan: WalkPlan, decision: GateDecision): RailyardError | null {
  const planned = indexOf(plan).blocks.get(decision.block);
  if (!planned) return unknownBlock(decision.block);
  const checked = gateMeant(planned, decision).andThen((gate) =>
    gate === null ? ok() : checkRole(planned.gates[gate], decision),
  );
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
  if (decision.attempt === null && wasOpenBefore(draft, block, gate)) {
    // Whoever decides now has most likely looked at an attempt of the past.
    const { attempt } = draft.block(block);
    const message = `The gate ${gate} block "${block}" is not open: attempt ${attempt} is on its way.`;
    const suggestion = `Wait until it opens again, or say "attempt": ${attempt} to decide for that one unseen.`;
    return err(problem('GATE_ATTEMPT_STALE', message, { suggestion, details: { attempt } }));
  }
  const others = draft.state.early.filter(
    (one) => !(one.block === block && one.gate === gate && one.approver === approver),
  );
  draft.write({ early: [...others, { ...decision, gate }] });
  return ok({ kind: 'kept', block, gate });
}

const wasOpenBefore = (draft: Draft, block: string, gate: GateKind): boolean =>
  draft.state.gates.some((opening) => opening.block === block && opening.gate === gate);

function alreadyDecided({ block, gate, attempt, outcome }: GateState): RailyardError {
  const who = outcome ? `${outcome.decision} by ${outcome.by} at ${outcome.at}` : 'closed';
  return problem('GATE_ALREADY_DECIDED', `The gate ${gate} block "${block}" was ${who}.`, {
    details: { attempt, outcome },
  });
}
