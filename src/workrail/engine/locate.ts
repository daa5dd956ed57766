/** Where a snapshot stands in its workflow: found and compared before anything is done with it. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import {
  type ActiveLoop,
  type CompiledStep,
  type ExecutionSnapshot,
  type PendingStep,
  pendingStep,
  type StepInstanceKey,
} from '../model';
import { type Position, sequenceOf } from './walk';
import { type WorkflowIndex } from './workflow-index';

export interface Located {
  readonly step: CompiledStep;
  readonly pending: PendingStep;
  /** Where the walk goes on once the step is left. */
  readonly position: Position;
  readonly completed: readonly StepInstanceKey[];
}

/** The pending step of a snapshot, or an error: there is none, or the snapshot is not of this workflow. */
export function locate(index: WorkflowIndex, snapshot: ExecutionSnapshot): Result<Located, RailyardError> {
  const { engineState } = snapshot.enginePayload;
  const pending = pendingStep(snapshot);
  if (engineState.kind !== 'running' || pending === null) {
    return err(problem('STEP_NOT_PENDING', 'No step of this run waits to be performed.'));
  }
  const { loopStack, completed } = engineState;
  const step = index.steps.get(pending.stepId);
  const next = step ? placeIn(index, loopStack, pending) : null;
  if (!step || next === null) {
    const message = `The snapshot waits at "${pending.stepId}" in a place that "${index.workflow.workflowId}" does not have.`;
    return err(problem('STORE_SNAPSHOT_CORRUPT', message));
  }
  return ok({
    step,
    pending,
    position: { stack: loopStack, next: next + 1 },
    completed: completed.values,
  });
}

/** The place of the pending step in its sequence; null: stack and workflow do not fit. */
function placeIn(index: WorkflowIndex, stack: readonly ActiveLoop[], pending: PendingStep): number | null {
  for (const [depth, { loopId, iteration }] of stack.entries()) {
    const loop = index.loops.get(loopId);
    const around = sequenceOf(index, stack.slice(0, depth));
    const place = around.findIndex((item) => item.kind === 'loop' && item.loopId === loopId);
    const said = depth === 0 ? place : stack[depth - 1]?.bodyIndex;
    if (!loop || place === -1 || place !== said || iteration >= loop.maxIterations) return null;
  }
  const place = sequenceOf(index, stack).findIndex(
    (item) => item.kind === 'step' && item.stepId === pending.stepId,
  );
  const said = stack.length === 0 ? place : stack.at(-1)?.bodyIndex;
  return place !== -1 && place === said ? place : null;
}
