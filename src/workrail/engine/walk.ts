/**
 * The walk: from the end of one step to the next one that waits, through the loops between them.
 *
 * - A sequence is the workflow's walk or a loop's body; a loop is entered where the walk reaches it.
 * - A loop's condition is evaluated before each iteration, the first one too; so a loop can run zero times.
 * - `always_true` counts: the loop ends when `maxIterations` have run. `always_false` never runs.
 * - `loop_control` goes by the decision of the step just left. Before the first iteration nobody may have been asked:
 *   then it begins. Later no decision means that the loop goes on; nothing but a decision to stop or the limit ends it.
 * - A decision to go on past the limit is a `limit`: the loop ends there, and whoever asked has to answer for it.
 * - Every loop reached, evaluated and left has its trace entry (locks, sections 1 and 9).
 */
import {
  type ActiveLoop,
  byCodeUnits,
  type CompiledLoop,
  type EngineState,
  type LoopId,
  type StepInstanceKey,
  type TraceEntry,
  type WalkItem,
} from '../model';
import { type LoopDecision } from './loop-control';
import { enteredLoop, evaluatedCondition, exitedLoop, selectedStep } from './trace';
import { type WorkflowIndex } from './workflow-index';

/** A loop that was to go on past its last iteration. */
export interface LimitReached {
  readonly loopId: LoopId;
  /** The iteration that would have begun. */
  readonly iteration: number;
  readonly maxIterations: number;
}

export interface Walked {
  readonly state: EngineState;
  readonly trace: readonly TraceEntry[];
  readonly limits: readonly LimitReached[];
}

/** Where the walk goes on: the loops around, innermost last, and the next place in the innermost sequence. */
export interface Position {
  readonly stack: readonly ActiveLoop[];
  readonly next: number;
}

/** The decision of the step just left, and the loop it is about. */
export interface Steering extends LoopDecision {
  readonly loopId: LoopId;
}

/** The next pending step, or the end. */
export function walkFrom(
  index: WorkflowIndex,
  completed: readonly StepInstanceKey[],
  from: Position,
  steering: Steering | null,
): Walked {
  const trace: TraceEntry[] = [];
  const limits: LimitReached[] = [];
  const stack: ActiveLoop[] = [...from.stack];
  let next = from.next;

  for (;;) {
    const item = sequenceOf(index, stack)[next];
    if (item?.kind === 'step') {
      place(stack, next);
      trace.push(selectedStep(item.stepId, stack.length > 0 ? 'the next one of its loop.' : 'the next one.'));
      const loopPath = stack.map(({ loopId, iteration }) => ({ loopId, iteration }));
      const pending = { kind: 'some' as const, step: { stepId: item.stepId, loopPath } };
      return { state: running(completed, stack, pending), trace, limits };
    }
    if (item === undefined && stack.length === 0) return { state: { kind: 'complete' }, trace, limits };

    if (item !== undefined) place(stack, next);
    const ended = item === undefined ? stack.pop() : undefined;
    const loop = loopOf(index, item === undefined ? ended?.loopId : item.loopId);
    if (!ended) trace.push(enteredLoop(loop.loopId));
    const iteration = ended ? ended.iteration + 1 : 0;
    const goesOn = evaluate(index, loop, iteration, steering, trace);

    if (goesOn && iteration < loop.maxIterations) {
      stack.push({ loopId: loop.loopId, iteration, bodyIndex: 0 });
      next = 0;
      continue;
    }
    if (goesOn && index.conditions.get(loop.loopId)?.kind === 'loop_control') {
      limits.push({ loopId: loop.loopId, iteration, maxIterations: loop.maxIterations });
    }
    trace.push(exitedLoop(loop.loopId, iteration, goesOn ? 'max_iterations_reached' : 'condition_false'));
    // After a loop's end the walk goes on behind it in the sequence around it.
    next = (ended ? placeOf(index, stack, loop.loopId) : next) + 1;
  }
}

function evaluate(
  index: WorkflowIndex,
  loop: CompiledLoop,
  iteration: number,
  steering: Steering | null,
  trace: TraceEntry[],
): boolean {
  const said = (outcome: string): void => {
    trace.push(evaluatedCondition(loop.loopId, loop.while.conditionId, iteration, outcome));
  };
  const condition = index.conditions.get(loop.loopId);
  if (condition?.kind === 'always_true' || condition?.kind === 'always_false') {
    said(condition.kind);
    return condition.kind === 'always_true';
  }
  if (steering?.loopId === loop.loopId) {
    said(`decision '${steering.decision}'${steering.summary === null ? '' : `: ${steering.summary}`}`);
    return steering.decision === 'continue';
  }
  said(iteration === 0 ? 'nobody decided yet, so it begins.' : 'no valid decision, so it goes on.');
  return true;
}

/** The sequence that a stack stands in. */
export function sequenceOf(index: WorkflowIndex, stack: readonly ActiveLoop[]): readonly WalkItem[] {
  const top = stack.at(-1);
  return top ? loopOf(index, top.loopId).body : index.workflow.walk;
}

function placeOf(index: WorkflowIndex, stack: readonly ActiveLoop[], loopId: LoopId): number {
  return sequenceOf(index, stack).findIndex((item) => item.kind === 'loop' && item.loopId === loopId);
}

function place(stack: ActiveLoop[], bodyIndex: number): void {
  const top = stack.pop();
  if (top) stack.push({ ...top, bodyIndex });
}

function running(
  completed: readonly StepInstanceKey[],
  loopStack: ActiveLoop[],
  pending: Extract<EngineState, { kind: 'running' }>['pending'],
): EngineState {
  const values = [...new Set(completed)].sort(byCodeUnits);
  return { kind: 'running', completed: { kind: 'set', values }, loopStack, pending };
}

function loopOf({ loops }: WorkflowIndex, loopId: LoopId | undefined): CompiledLoop {
  const loop = loopId === undefined ? undefined : loops.get(loopId);
  // The compiler resolves every loop, and a snapshot is compared with its workflow before it is walked.
  if (!loop) throw new Error(`Bug: the compiled workflow has no loop "${String(loopId)}"`);
  return loop;
}
