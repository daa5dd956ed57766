/** list_workflows and inspect_workflow: what can be started, as the catalog has it now. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type CompiledWorkflow, type LoopId, type StepId, type WalkItem } from '../model';
import { type KnownWorkflow, type WorkflowCatalog } from './protocol';
import { workflowNamed } from './start';
import { type ToolInput, type ToolOutput } from './tools';

export async function listWorkflows(
  catalog: WorkflowCatalog,
): Promise<Result<ToolOutput<'list_workflows'>, RailyardError>> {
  const all = await catalog.list();
  return all.map(({ known, unusable }) => ({
    workflows: known.map(lineOf),
    problems: unusable.map(({ source, problem: { message, suggestion } }) => ({
      source,
      message,
      suggestion,
    })),
  }));
}

function lineOf({ compiled, workflowHash, identity, sourceKind }: KnownWorkflow) {
  const { workflowId, idStatus, suggestedId } = identity;
  return {
    workflowId,
    name: compiled.name ?? workflowId,
    description: compiled.description ?? '',
    workflowHash,
    sourceKind,
    idStatus,
    // An alias of a workflow that has another id by now.
    ...(compiled.workflowId === workflowId ? {} : { canonicalId: compiled.workflowId }),
    ...(suggestedId === undefined ? {} : { suggestedId }),
  };
}

export async function inspectWorkflow(
  catalog: WorkflowCatalog,
  { workflowId, mode }: ToolInput<'inspect_workflow'>,
): Promise<Result<ToolOutput<'inspect_workflow'>, RailyardError>> {
  const found = await workflowNamed(catalog, workflowId);
  return found.map(({ compiled, workflowHash, sourceKind }) => ({
    workflowId: compiled.workflowId,
    workflowHash,
    name: compiled.name ?? compiled.workflowId,
    description: compiled.description ?? '',
    sourceKind,
    recommended: {
      ...(compiled.recommendedAutonomy ? { autonomy: compiled.recommendedAutonomy } : {}),
      ...(compiled.recommendedRiskPolicy ? { riskPolicy: compiled.recommendedRiskPolicy } : {}),
    },
    capabilities: compiled.capabilities.map((one) => ({ ...one })),
    stepCount: compiled.steps.length,
    loopCount: compiled.loops.length,
    warnings: compiled.compiledWarnings.map(({ message }) => message),
    ...(mode === 'steps' ? { steps: stepsOf(compiled) } : {}),
  }));
}

function stepsOf(compiled: CompiledWorkflow) {
  const around = loopsAround(compiled);
  return compiled.steps.map(({ stepId, title, prompt, requireConfirmation }) => ({
    stepId,
    title,
    prompt,
    loops: around.get(stepId) ?? [],
    requireConfirmation,
  }));
}

/** The loops around each step, outermost first. */
function loopsAround({ walk, loops }: CompiledWorkflow): Map<StepId, LoopId[]> {
  const bodies = new Map(loops.map(({ loopId, body }) => [loopId, body]));
  const found = new Map<StepId, LoopId[]>();
  const visit = (items: readonly WalkItem[], path: LoopId[]): void => {
    for (const item of items) {
      if (item.kind === 'step') found.set(item.stepId, path);
      else visit(bodies.get(item.loopId) ?? [], [...path, item.loopId]);
    }
  };
  visit(walk, []);
  return found;
}
