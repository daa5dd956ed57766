/**
 * The interpreter: pure, from a pinned workflow and a snapshot to the next snapshot. It decides nothing by clock,
 * environment or memory; the same input gives the same bytes.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import {
  type CapabilityObserved,
  type CompiledStep,
  type CompiledWorkflow,
  type ExecutionSnapshot,
  type Preferences,
  snapshotOf,
  stepInstanceKey,
  type TraceEntry,
} from '../model';
import { type CapabilityFinding, findingOf, knownCapabilities } from './capabilities';
import { type Divergence, divergencesIn } from './divergence';
import { readLoopControl } from './loop-control';
import { inOrder, reason, type Reason } from './reasons';
import {
  lackingAnswers,
  lackingCapabilities,
  lackingOutputs,
  type StepOutput,
  type UserAnswer,
} from './requirements';
import { locate, type Located } from './locate';
import { type LimitReached, type Steering, type Walked, walkFrom } from './walk';
import { LOOP_CONTROL } from './well-known';
import { type WorkflowIndex } from './workflow-index';
import { usable } from './usable';

/** The first snapshot of a run. */
export interface Started {
  readonly snapshot: ExecutionSnapshot;
  readonly trace: readonly TraceEntry[];
}

/** One acknowledgement of the pending step. */
export interface Acknowledgement {
  readonly output: StepOutput;
  /**
   * Who acknowledges. `policy` is the never-stop mode itself: the one way past a person's step without the person, and
   * always with an unresolved gap.
   */
  readonly by: 'agent' | 'person' | 'policy';
  readonly answer: UserAnswer;
  readonly preferences: Preferences;
  /** Observations so far, in the order of their events; weak ones may be among them and do not count. */
  readonly observations: readonly (CapabilityFinding | CapabilityObserved)[];
}

/** What came of an acknowledgement. What was observed and disclosed is a fact in either case. */
export type Advance = {
  readonly findings: readonly CapabilityFinding[];
  readonly divergences: readonly Divergence[];
} & (
  | {
      /** The step stays pending; `reasons` is never empty. */
      readonly kind: 'blocked';
      readonly reasons: readonly Reason[];
    }
  | {
      readonly kind: 'advanced';
      readonly snapshot: ExecutionSnapshot;
      readonly trace: readonly TraceEntry[];
      /** What was missing and is now to be disclosed: empty except in never-stop. */
      readonly gaps: readonly Reason[];
      /** On whose word the step's question to a person counts as answered; null: it asked none. */
      readonly answeredBy: UserAnswer | null;
    }
);

/** Begin: the first step that waits, or the end where every loop runs zero times. */
export function start(workflow: CompiledWorkflow): Result<Started, RailyardError> {
  return usable(workflow).map((index) => {
    const { state, trace } = walkFrom(index, [], { stack: [], next: 0 }, null);
    return { snapshot: snapshotOf(state), trace };
  });
}

/** Leave the pending step, or hear why not. An error means that nothing was judged and nothing is to be recorded. */
export function advance(
  workflow: CompiledWorkflow,
  snapshot: ExecutionSnapshot,
  ack: Acknowledgement,
): Result<Advance, RailyardError> {
  return usable(workflow)
    .andThen((index) => locate(index, snapshot).map((located) => ({ index, located })))
    .andThen(({ index, located }) => mayAct(located.step, ack).map(() => judge(index, located, ack)));
}

function mayAct({ stepId, performedBy }: CompiledStep, ack: Acknowledgement): Result<void, RailyardError> {
  const neverStops = ack.preferences.autonomy === 'full_auto_never_stop';
  if (performedBy === 'person' && ack.by === 'agent') {
    return err(problem('STEP_NEEDS_PERSON', `Step "${stepId}" is for a person; an agent cannot pass it.`));
  }
  if (ack.by === 'policy' && !(neverStops && performedBy === 'person')) {
    return err(problem('STEP_NEEDS_PERSON', `Step "${stepId}" is not passed without whoever performs it.`));
  }
  return ok(undefined);
}

function judge(
  index: WorkflowIndex,
  { step, pending, position, completed }: Located,
  ack: Acknowledgement,
): Advance {
  const neverStops = ack.preferences.autonomy === 'full_auto_never_stop';
  const { artifacts } = ack.output;
  const finding = findingOf(index, step, artifacts);
  const facts = {
    findings: finding ? [finding] : [],
    divergences: divergencesIn(index, artifacts),
  };
  const known = knownCapabilities([...ack.observations, ...facts.findings]);
  const walked = walkFrom(
    index,
    [...completed, stepInstanceKey(pending.stepId, pending.loopPath)],
    position,
    steeringOf(index, step, artifacts),
  );
  const reasons = inOrder([
    ...(ack.by === 'policy' ? [unapproved(step)] : lackingOutputs(index, step, ack.output)),
    ...(ack.by === 'agent' ? lackingAnswers(step, ack.answer) : []),
    ...lackingCapabilities(index, step, known, neverStops),
    ...walked.limits.map((limit) => pastLimit(step, limit)),
  ]);
  if (reasons.length > 0 && !neverStops) return { ...facts, kind: 'blocked', reasons };
  return { ...facts, ...advanced(walked, reasons, step, ack) };
}

function advanced(walked: Walked, gaps: readonly Reason[], step: CompiledStep, ack: Acknowledgement) {
  const asks = step.requireConfirmation || step.nonAssumableChoice !== undefined;
  return {
    kind: 'advanced' as const,
    snapshot: snapshotOf(walked.state),
    trace: walked.trace,
    gaps,
    answeredBy: asks ? (ack.by === 'person' ? ('person' as const) : ack.answer) : null,
  };
}

function steeringOf(
  { contracts, decides }: WorkflowIndex,
  { stepId }: CompiledStep,
  artifacts: readonly unknown[],
): Steering | null {
  const loopId = decides.get(stepId);
  const contract = contracts.get(LOOP_CONTROL);
  if (loopId === undefined || !contract) return null;
  const control = readLoopControl(contract, artifacts, loopId);
  return control.kind === 'found' ? { loopId, decision: control.decision, summary: control.summary } : null;
}

function unapproved({ stepId }: CompiledStep): Reason {
  return reason(
    { code: 'user_only_dependency:needs_user_approval', about: { kind: 'workflow_step', stepId } },
    `Step "${stepId}" was passed without the person it is for.`,
    'Have the person look at it, and resolve this gap with what was decided.',
  );
}

function pastLimit({ stepId }: CompiledStep, { loopId, iteration, maxIterations }: LimitReached): Reason {
  return reason(
    { code: 'unexpected:invariant_violation', about: { kind: 'workflow_step', stepId } },
    `Loop "${loopId}" was to go on with iteration ${iteration}; it has at most ${maxIterations} (0 to ${maxIterations - 1}).`,
    'Decide "stop", and say in the summary what is still open.',
    { loopId, iteration, maxIterations },
  );
}
