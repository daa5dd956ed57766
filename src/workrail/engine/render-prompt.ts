/** The prompt of a pending step, rendered: the same text for the same snapshot, always within its budget. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import {
  type CompiledStep,
  type CompiledWorkflow,
  type ExecutionSnapshot,
  type LoopFrame,
  truncateUtf8,
} from '../model';
import { locate } from './locate';
import { functionSection, namesIn, visibleFunctions } from './prompt-functions';
import { requirementSection } from './prompt-requirements';
import { usable } from './usable';
import { type WorkflowIndex } from './workflow-index';

/** Of a recap under a prompt. */
export const MAX_RECAP_BYTES = 12_288;
/** Of a rendered prompt; the compiler keeps authored prompts so far below that only a recap is ever cut. */
export const MAX_PROMPT_BYTES = 65_536;

/** What an agent is shown of its step. */
export interface RenderedStep {
  readonly step: CompiledStep;
  readonly loopPath: readonly LoopFrame[];
  readonly prompt: string;
}

/** What a caller adds. A recap comes from a projection; names in it bring their definitions along. */
export interface Additions {
  readonly recap?: string;
}

export function renderPending(
  workflow: CompiledWorkflow,
  snapshot: ExecutionSnapshot,
  { recap = '' }: Additions = {},
): Result<RenderedStep, RailyardError> {
  return usable(workflow).andThen((index) =>
    locate(index, snapshot).map(({ step, pending: { loopPath } }) => ({
      step,
      loopPath,
      prompt: textOf(index, step, loopPath, truncateUtf8(recap, MAX_RECAP_BYTES)),
    })),
  );
}

function textOf(
  index: WorkflowIndex,
  step: CompiledStep,
  loopPath: readonly LoopFrame[],
  recap: string,
): string {
  const { workflow, contracts } = index;
  const role = step.agentRole ?? workflow.agentRole;
  const ref = step.outputContract?.contractRef;
  const pending = visibleFunctions(workflow.functions, step.stepId, loopPath, step.functionReferences);
  // What only the recap mentions comes after what the step itself needs.
  const fromRecap = visibleFunctions(
    workflow.functions,
    step.stepId,
    loopPath,
    namesIn(recap, workflow.functions),
  ).filter((one) => !pending.includes(one));
  const body = [role === undefined ? '' : `**ROLE:** ${role}`, step.prompt, loopLine(index, step, loopPath)];
  const system = [
    functionSection([...pending, ...fromRecap]),
    requirementSection(step, ref === undefined ? undefined : contracts.get(ref)),
    recap === '' ? '' : `**RECAP (System):**\n${recap}`,
  ];
  const text = [body, system]
    .map((parts) => parts.filter((part) => part !== '').join('\n\n'))
    .filter((part) => part !== '')
    .join('\n\n---\n');
  return truncateUtf8(text, MAX_PROMPT_BYTES);
}

/** Where in its loop the step stands; before its last chance to decide, an agent hears that it is the last. */
function loopLine(
  { loops, decides }: WorkflowIndex,
  { stepId }: CompiledStep,
  path: readonly LoopFrame[],
): string {
  const frame = path.at(-1);
  const loop = frame ? loops.get(frame.loopId) : undefined;
  if (!frame || !loop) return '';
  const { loopId, maxIterations } = loop;
  const last = frame.iteration + 1 >= maxIterations && decides.get(stepId) === loopId;
  const hint = last ? ' It is the last one: decide "stop", and say what is still open.' : '';
  return `(Loop "${loopId}", iteration ${frame.iteration + 1} of at most ${maxIterations}.${hint})`;
}
