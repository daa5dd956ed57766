/**
 * Execution snapshots: the least that an interpreter needs to go on from a node (locks, sections 1 and 1.3). Immutable
 * and content-addressed; which workflow one belongs to stands in the `node_created` that refers to it. Unknown fields
 * are refused, so that nothing derived can creep in.
 */
import { z } from 'zod';
import { StepId, LoopId } from './ids';
import { byCodeUnits } from './lexical';
import { LoopFrame, StepInstanceKey, stepInstanceKey } from './step-instance-key';

export const SNAPSHOT_VERSION = 1;
export const ENGINE_PAYLOAD_VERSION = 1;

/** A loop that is being walked; `bodyIndex` is the place in its body. */
export const ActiveLoop = z.strictObject({
  loopId: LoopId,
  iteration: z.int().nonnegative(),
  bodyIndex: z.int().nonnegative(),
});
export type ActiveLoop = z.infer<typeof ActiveLoop>;

/** The step that waits to be performed. */
export const PendingStep = z.strictObject({ stepId: StepId, loopPath: z.array(LoopFrame) });
export type PendingStep = z.infer<typeof PendingStep>;

const Completed = z.strictObject({ kind: z.literal('set'), values: z.array(StepInstanceKey) });

const Running = z
  .strictObject({
    kind: z.literal('running'),
    completed: Completed,
    loopStack: z.array(ActiveLoop),
    pending: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('none') }),
      z.strictObject({ kind: z.literal('some'), step: PendingStep }),
    ]),
  })
  .superRefine(({ completed: { values }, loopStack, pending }, issues) => {
    const fault = (path: PropertyKey[], message: string) =>
      issues.addIssue({ code: 'custom', path, message });
    if (values.some((value, i) => i > 0 && byCodeUnits(values[i - 1] ?? '', value) >= 0)) {
      fault(['completed', 'values'], 'must be sorted, each value once');
    }
    if (new Set(loopStack.map(({ loopId }) => loopId)).size < loopStack.length) {
      fault(['loopStack'], 'must not name a loop twice');
    }
    if (pending.kind === 'none') return;
    const { stepId, loopPath } = pending.step;
    const around = loopStack.map(({ loopId, iteration }) => `${loopId}@${iteration}`).join('/');
    if (loopPath.map(({ loopId, iteration }) => `${loopId}@${iteration}`).join('/') !== around) {
      fault(['pending', 'step', 'loopPath'], 'must be the loop stack');
    }
    if (values.includes(stepInstanceKey(stepId, loopPath))) {
      fault(['pending', 'step'], 'must not be completed already');
    }
  });

/** Where a run stands: not begun, under way, or at its end. */
export const EngineState = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('init') }),
  Running,
  z.strictObject({ kind: z.literal('complete') }),
]);
export type EngineState = z.infer<typeof EngineState>;

export const ExecutionSnapshot = z.strictObject({
  v: z.literal(SNAPSHOT_VERSION),
  kind: z.literal('execution_snapshot'),
  enginePayload: z.strictObject({ v: z.literal(ENGINE_PAYLOAD_VERSION), engineState: EngineState }),
});
export type ExecutionSnapshot = z.infer<typeof ExecutionSnapshot>;

export const snapshotOf = (engineState: EngineState): ExecutionSnapshot => ({
  v: SNAPSHOT_VERSION,
  kind: 'execution_snapshot',
  enginePayload: { v: ENGINE_PAYLOAD_VERSION, engineState },
});

export const isComplete = ({ enginePayload }: ExecutionSnapshot): boolean =>
  enginePayload.engineState.kind === 'complete';

/** The step that waits; null: none does. */
export function pendingStep({ enginePayload: { engineState } }: ExecutionSnapshot): PendingStep | null {
  return engineState.kind === 'running' && engineState.pending.kind === 'some'
    ? engineState.pending.step
    : null;
}
