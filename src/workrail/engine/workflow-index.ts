/** A compiled workflow, for looking things up. */
import {
  type CompiledCondition,
  type CompiledLoop,
  type CompiledStep,
  type CompiledWorkflow,
  type ContractRef,
  type EmbeddedContract,
  type LoopId,
  type StepId,
  type WalkItem,
} from '../model';
import { LOOP_CONTROL } from './well-known';

export interface WorkflowIndex {
  readonly workflow: CompiledWorkflow;
  readonly steps: ReadonlyMap<StepId, CompiledStep>;
  readonly loops: ReadonlyMap<LoopId, CompiledLoop>;
  readonly conditions: ReadonlyMap<LoopId, CompiledCondition>;
  readonly contracts: ReadonlyMap<ContractRef, EmbeddedContract>;
  /** The loop that a decision step decides about: the one whose body it ends, or the one it stands right before. */
  readonly decides: ReadonlyMap<StepId, LoopId>;
}

const indexes = new WeakMap<CompiledWorkflow, WorkflowIndex>();

/** Made once for each workflow: a compiled workflow never changes. */
export function indexOf(workflow: CompiledWorkflow): WorkflowIndex {
  const known = indexes.get(workflow);
  if (known) return known;
  const made = build(workflow);
  indexes.set(workflow, made);
  return made;
}

function build(workflow: CompiledWorkflow): WorkflowIndex {
  const conditions = new Map(workflow.conditions.map((one) => [one.conditionId, one]));
  const steps = new Map(workflow.steps.map((step) => [step.stepId, step]));
  return {
    workflow,
    steps,
    loops: new Map(workflow.loops.map((loop) => [loop.loopId, loop])),
    conditions: new Map(
      workflow.loops.flatMap((loop) => {
        const condition = conditions.get(loop.while.conditionId);
        return condition ? [[loop.loopId, condition]] : [];
      }),
    ),
    contracts: new Map(workflow.contracts.map((contract) => [contract.contractRef, contract])),
    decides: new Map([
      ...decisions(workflow.walk, null, steps),
      ...workflow.loops.flatMap(({ loopId, body }) => decisions(body, loopId, steps)),
    ]),
  };
}

function decisions(
  items: readonly WalkItem[],
  around: LoopId | null,
  steps: ReadonlyMap<StepId, CompiledStep>,
): [StepId, LoopId][] {
  return items.flatMap((item, i): [StepId, LoopId][] => {
    if (item.kind !== 'step') return [];
    if (steps.get(item.stepId)?.outputContract?.contractRef !== LOOP_CONTROL) return [];
    const next = items[i + 1];
    const loopId = next === undefined ? around : next.kind === 'loop' ? next.loopId : null;
    return loopId === null ? [] : [[item.stepId, loopId]];
  });
}
