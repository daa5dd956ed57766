/** Entries of decision traces, and how they go into events without losing one (locks, section 1). */
import {
  type ConditionId,
  type LoopId,
  MAX_TRACE_ENTRIES,
  MAX_TRACE_SUMMARY_BYTES,
  MAX_TRACE_TOTAL_BYTES,
  type StepId,
  type TraceEntry,
  truncateUtf8,
  utf8Length,
} from '../model';

const entry = (kind: TraceEntry['kind'], text: string, refs: TraceEntry['refs']): TraceEntry => ({
  kind,
  summary: truncateUtf8(text, MAX_TRACE_SUMMARY_BYTES),
  ...(refs ? { refs } : {}),
});

export const selectedStep = (stepId: StepId, why: string): TraceEntry =>
  entry('selected_next_step', `Step '${stepId}': ${why}`, [{ kind: 'step_id', stepId }]);

export const enteredLoop = (loopId: LoopId): TraceEntry =>
  entry('entered_loop', `Reached loop '${loopId}'.`, [
    { kind: 'loop_id', loopId },
    { kind: 'iteration', value: 0 },
  ]);

/** `iteration` is the one that would begin. */
export const evaluatedCondition = (
  loopId: LoopId,
  conditionId: ConditionId,
  iteration: number,
  outcome: string,
): TraceEntry =>
  entry('evaluated_condition', `Loop '${loopId}' before iteration ${iteration}: ${outcome}`, [
    { kind: 'loop_id', loopId },
    { kind: 'condition_id', conditionId },
    { kind: 'iteration', value: iteration },
  ]);

/** `iterations` is how many were begun. */
export const exitedLoop = (
  loopId: LoopId,
  iterations: number,
  because: 'condition_false' | 'max_iterations_reached',
): TraceEntry =>
  entry('exited_loop', `Left loop '${loopId}' after ${iterations} iterations: ${because}.`, [
    { kind: 'loop_id', loopId },
    { kind: 'iteration', value: Math.max(0, iterations - 1) },
  ]);

/** As many traces as the budgets of one event need: what happened stays complete, where cutting would lose the end. */
export function splitTrace(entries: readonly TraceEntry[]): TraceEntry[][] {
  const parts: TraceEntry[][] = [];
  let bytes = 0;
  for (const one of entries) {
    const last = parts.at(-1);
    const size = utf8Length(one.summary);
    if (last && last.length < MAX_TRACE_ENTRIES && bytes + size <= MAX_TRACE_TOTAL_BYTES) {
      last.push(one);
      bytes += size;
    } else {
      parts.push([one]);
      bytes = size;
    }
  }
  return parts;
}
