/**
 * The workflows that a factory run is pinned to: one for the factory itself, with the one step `walk`, and one for each
 * block: the gate before, the skill's steps, the gate after. What they were compiled from goes along, so that a session
 * alone says what its run is.
 */
import { type JsonObject } from '../canonical';
import { type CompiledBlock, type CompiledFactory } from '../factory/compile';
import { contractPack, embed } from '../workrail/compiler';
import {
  COMPILED_WORKFLOW_VERSION,
  ContractRef,
  snapshotOf,
  StepId,
  stepInstanceKey,
  WorkflowId,
  type CompiledStep,
  type CompiledWorkflow,
  type EmbeddedContract,
  type ExecutionSnapshot,
} from '../workrail/model';

const WALK = StepId.parse('walk');
export const PERFORM = StepId.parse('perform');
const GATES = { before: StepId.parse('gate_before'), after: StepId.parse('gate_after') } as const;
export const BLOCK_RESULT = ContractRef.parse('wr.contracts.block_result');

/** The factory's own workflow. */
export function factoryWorkflow(compiled: CompiledFactory, factoryHash: string): CompiledWorkflow {
  const { name, description } = compiled.factory;
  return workflow(compiled.id, name, description ?? '', {
    steps: [step(WALK, `Walk ${name}`, 'The blocks of this factory are walked by its workflow.', 'person')],
    contracts: ['wr.contracts.gate_decision', 'wr.contracts.factory_control'],
    extension: json({ factory: compiled, factoryHash }),
  });
}

/** The workflow of a block whose skill has one step. */
export function blockWorkflow(block: CompiledBlock): CompiledWorkflow {
  const perform: CompiledStep = {
    ...step(PERFORM, block.name, `Perform the skill "${block.skill}" for the block "${block.id}".`, 'agent'),
    outputContract: { contractRef: BLOCK_RESULT },
  };
  return workflow(block.workflowId, block.name, '', {
    steps: [
      ...(block.gates.before ? [gateStep('before', block)] : []),
      perform,
      ...(block.gates.after ? [gateStep('after', block)] : []),
    ],
    contracts: ['wr.contracts.block_result', 'wr.contracts.gate_decision'],
    extension: json({ block }),
  });
}

export function gateStep(gate: 'before' | 'after', block: CompiledBlock): CompiledStep {
  const title = `Gate ${gate} ${block.name}`;
  const prompt = `A person decides whether the block "${block.id}" may ${gate === 'before' ? 'start' : 'count as done'}.`;
  return { ...step(GATES[gate], title, prompt, 'person'), requireConfirmation: true };
}

/** Where a block of one step can stand. */
export function stagesOf(block: Pick<CompiledBlock, 'gates'>): {
  readonly first: ExecutionSnapshot;
  readonly perform: ExecutionSnapshot;
  readonly after: ExecutionSnapshot;
} {
  const before = block.gates.before ? [GATES.before] : [];
  const perform = pendingAt(PERFORM, before);
  return {
    first: block.gates.before ? pendingAt(GATES.before, []) : perform,
    perform,
    after: block.gates.after ? pendingAt(GATES.after, [...before, PERFORM]) : COMPLETE,
  };
}

export const COMPLETE: ExecutionSnapshot = snapshotOf({ kind: 'complete' });

/** Where a factory stands until it is over. */
export const WALKING: ExecutionSnapshot = pendingAt(WALK, []);

function pendingAt(stepId: StepId, done: readonly StepId[]): ExecutionSnapshot {
  return snapshotOf({
    kind: 'running',
    completed: { kind: 'set', values: done.map((id) => stepInstanceKey(id, [])).sort() },
    loopStack: [],
    pending: { kind: 'some', step: { stepId, loopPath: [] } },
  });
}

function workflow(
  id: string,
  name: string,
  description: string,
  parts: {
    readonly steps: CompiledStep[];
    readonly contracts: readonly string[];
    readonly extension: JsonObject;
  },
): CompiledWorkflow {
  return {
    schemaVersion: COMPILED_WORKFLOW_VERSION,
    workflowId: WorkflowId.parse(id),
    ...(name === '' ? {} : { name }),
    ...(description === '' ? {} : { description }),
    capabilities: [],
    features: [],
    contracts: [...parts.contracts].sort().map(contractOf),
    functions: [],
    walk: parts.steps.map(({ stepId }) => ({ kind: 'step', stepId })),
    steps: parts.steps,
    conditions: [],
    loops: [],
    compiledWarnings: [],
    extension: parts.extension,
  };
}

/** Making a JSON Schema takes long, and every block embeds the same few. */
const embedded = new Map<string, EmbeddedContract>();

export function contractOf(ref: string): EmbeddedContract {
  const pack = contractPack(ref);
  if (!pack) throw new Error(`Bug: there is no contract pack ${ref}`);
  const contract = embedded.get(ref) ?? embed(pack);
  embedded.set(ref, contract);
  return contract;
}

function step(
  stepId: StepId,
  title: string,
  prompt: string,
  performedBy: CompiledStep['performedBy'],
): CompiledStep {
  return {
    stepId,
    title: title === '' ? stepId : title,
    prompt,
    requireConfirmation: false,
    performedBy,
    functionReferences: [],
    embeddedRefs: [],
    provenance: { source: 'authored' },
  };
}

/** Compiled factories are JSON all through; only their types say less. */
const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
