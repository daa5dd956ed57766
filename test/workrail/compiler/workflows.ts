/** Small workflows in authored form, and their compilation. */
import { type RailyardError } from '../../../src/errors';
import { type TemplateProblem } from '../../../src/factory/compile';
import {
  compileWorkflow,
  type WorkflowCompilation,
  type WorkflowOrigin,
} from '../../../src/workrail/compiler';

export type Json = Record<string, unknown>;

export const step = (id: string, more: Json = {}): Json => ({
  id,
  title: `Step ${id}`,
  prompt: `Do ${id}.`,
  ...more,
});

/** A step that decides about the loop it ends, or the one it stands before. */
export const decide = (id: string): Json =>
  step(id, { outputContract: { contractRef: 'wr.contracts.loop_control' } });

/** A loop by decision, unless another condition is named. */
export const loop = (loopId: string, body: readonly Json[], more: Json = {}): Json => ({
  type: 'loop',
  loopId,
  maxIterations: 3,
  while: { kind: 'condition_ref', conditionId: `${loopId}-control` },
  body,
  ...more,
});

export const control = (loopId: string): Json => ({ id: `${loopId}-control`, kind: 'loop_control', loopId });
export const counted = (loopId: string, kind = 'always_true'): Json => ({ id: `${loopId}-control`, kind });

export const workflow = (steps: readonly Json[], more: Json = {}): Json => ({
  id: 'user.sample',
  name: 'Sample',
  steps,
  ...more,
});

const USER: WorkflowOrigin = { sourceKind: 'user' };

export function compiled(source: unknown, origin: WorkflowOrigin = USER): WorkflowCompilation {
  const result = compileWorkflow(source, origin);
  if (result.isErr()) throw new Error(JSON.stringify(result.error, null, 2));
  return result.value;
}

export function refusal(source: unknown, origin: WorkflowOrigin = USER): RailyardError {
  return compileWorkflow(source, origin)._unsafeUnwrapErr();
}

export function problemsOf(source: unknown, origin: WorkflowOrigin = USER): TemplateProblem[] {
  // The code is the promise that the details hold problems.
  const { code, details } = refusal(source, origin);
  if (code !== 'WORKFLOW_INVALID') throw new Error(`Expected WORKFLOW_INVALID, found ${code}`);
  return details?.problems as TemplateProblem[];
}
export const pointersOf = (source: unknown, origin: WorkflowOrigin = USER): string[] =>
  problemsOf(source, origin).map(({ pointer }) => pointer);
