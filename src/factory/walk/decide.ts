/** A person's decision at a gate: the checks, in their order, and then one vote. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import type { GateKind, PlannedBlock } from '../plan';
import type { GateAnswer, GateDecision, GateState } from '../run-state';
import type { Draft } from './draft';
import { castVote } from './gates';
import { hintOverride, override } from './override';
import { checkAttempt, checkDigests, checkRole, checkSelf, findBlock, isOver, runEnded } from './refusals';

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
  { id, gates }: PlannedBlock,
  { gate }: GateDecision,
): Result<GateKind, RailyardError> {
  if (gate !== null) {
    return gates[gate] ? ok(gate) : err(problem('GATE_NOT_FOUND', `Block "${id}" has no gate ${gate} it.`));
  }
  const open = draft.openGate(id);
  if (open) return ok(open.gate);
  if (!gates.before && !gates.after) return err(problem('GATE_NOT_FOUND', `Block "${id}" has no gate.`));
  if (!gates.after) return ok('before');
  if (!gates.before) return ok('after');
  return err(
    problem('GATE_NOT_FOUND', `Block "${id}" has two gates and neither is open.`, {
      suggestion: 'Say in "gate" which one is meant: "before" or "after".',
    }),
  );
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
