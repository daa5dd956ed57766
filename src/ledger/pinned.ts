/**
 * The workflows that a factory run is pinned to: one for the factory itself, with the one step `walk`, and one for each
 * block: the gate before, the skill's steps, the gate after. What they were compiled from goes along, so that a session
 * alone says what its run is.
 */
import { type JsonObject } from '../canonical';
import { type CompiledBlock, type CompiledFactory } from '../factory/compile';
import { contractPack, embed } from '../workrail/compiler';
import { advance, start } from '../workrail/engine';
import {
  byCodeUnits,
  COMPILED_WORKFLOW_VERSION,
  ContractRef,
  DEFAULT_PREFERENCES,
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
const DELIVER = StepId.parse('deliver');
const GATES = { before: StepId.parse('gate_before'), after: StepId.parse('gate_after') } as const;
/** Steps that a skill's workflow must not have, since blocks have them of themselves. */
export const OWN_STEPS: readonly string[] = [GATES.before, GATES.after, DELIVER];
export const BLOCK_RESULT = ContractRef.parse('wr.contracts.block_result');

/** The factory's own workflow. The workflows of skills that agents perform go along: they are those of the start. */
export function factoryWorkflow(
  compiled: CompiledFactory,
  factoryHash: string,
  agents: AgentWorkflows,
): CompiledWorkflow {
  const { name, description } = compiled.factory;
  return workflow(compiled.id, name, description ?? '', {
    steps: [step(WALK, `Walk ${name}`, 'The blocks of this factory are walked by its workflow.', 'person')],
    contracts: ['wr.contracts.gate_decision', 'wr.contracts.factory_control'],
    extension: json({ factory: compiled, factoryHash, agents }),
  });
}

/** What skills that agents perform are in workflows, by block. */
export type AgentWorkflows = Readonly<Record<string, CompiledWorkflow>>;

/** The workflow of a block: one step, or the steps of the workflow its skill has. */
export function blockWorkflow(block: CompiledBlock, skill: CompiledWorkflow | null): CompiledWorkflow {
  const base = skill ?? oneStep(block);
  const delivering = withDelivery(base, block);
  const gates = {
    before: block.gates.before ? [gateStep('before', block)] : [],
    after: block.gates.after ? [gateStep('after', block)] : [],
  };
  const item = ({ stepId }: CompiledStep) => ({ kind: 'step' as const, stepId });
  const contracts = new Map(delivering.contracts.map((one) => [one.contractRef, one]));
  for (const ref of ['wr.contracts.block_result', 'wr.contracts.gate_decision']) {
    const contract = contractOf(ref);
    contracts.set(contract.contractRef, contract);
  }
  return {
    ...delivering,
    workflowId: WorkflowId.parse(block.workflowId),
    name: block.name === '' ? block.id : block.name,
    contracts: [...contracts.values()].sort((a, b) => byCodeUnits(a.contractRef, b.contractRef)),
    walk: [...gates.before.map(item), ...delivering.walk, ...gates.after.map(item)],
    steps: [...gates.before, ...delivering.steps, ...gates.after],
    extension: json({ block }),
  };
}

const oneStep = ({ workflowId, name, skill, id }: CompiledBlock): CompiledWorkflow =>
  skillWorkflow(workflowId, name, `Perform the skill "${skill}" for the block "${id}".`);

/** A skill of one step. */
export const skillWorkflow = (id: string, name: string, prompt: string): CompiledWorkflow =>
  workflow(id, name, '', { steps: [step(PERFORM, name, prompt, 'agent')], contracts: [], extension: {} });

/** The last step of a skill hands in what the block leaves; one that hands in something else gets a step behind it. */
function withDelivery(skill: CompiledWorkflow, block: CompiledBlock): CompiledWorkflow {
  const outputContract = { contractRef: BLOCK_RESULT };
  const last = skill.walk.at(-1);
  const lastStep =
    last?.kind === 'step' ? skill.steps.find(({ stepId }) => stepId === last.stepId) : undefined;
  if (lastStep?.performedBy === 'agent' && !lastStep.outputContract) {
    const steps = skill.steps.map((one) => (one === lastStep ? { ...one, outputContract } : one));
    return { ...skill, steps };
  }
  const text = `Hand in what the block "${block.id}" leaves: its artifacts at their declared places, and its metrics.`;
  const deliver = { ...step(DELIVER, `Deliver ${block.name}`, text, 'agent'), outputContract };
  return {
    ...skill,
    walk: [...skill.walk, { kind: 'step', stepId: DELIVER }],
    steps: [...skill.steps, deliver],
  };
}

function gateStep(gate: 'before' | 'after', block: CompiledBlock): CompiledStep {
  const title = `Gate ${gate} ${block.name}`;
  const prompt = `A person decides whether the block "${block.id}" may ${gate === 'before' ? 'start' : 'count as done'}.`;
  return { ...step(GATES[gate], title, prompt, 'person'), requireConfirmation: true };
}

/** Where the run of a block can stand, as far as the ledger makes it stand there. */
export interface Stages {
  /** At its beginning. */
  readonly first: ExecutionSnapshot;
  /** Behind the gate before. */
  readonly perform: ExecutionSnapshot;
  /** Behind its one step; where an agent performs several, the engine says where that is. */
  readonly after: ExecutionSnapshot;
}

export function stagesOf(block: CompiledBlock, pinned: CompiledWorkflow): Stages {
  const before = block.gates.before ? [GATES.before] : [];
  const begun = start(pinned)._unsafeUnwrap().snapshot;
  return {
    first: begun,
    perform: block.gates.before ? passed(pinned, begun) : begun,
    after: block.gates.after ? pendingAt(GATES.after, [...before, PERFORM]) : COMPLETE,
  };
}

/** Behind a step that a person has acknowledged. */
function passed(pinned: CompiledWorkflow, snapshot: ExecutionSnapshot): ExecutionSnapshot {
  const left = advance(pinned, snapshot, {
    output: { notesMarkdown: '', artifacts: [] },
    by: 'person',
    answer: 'person',
    preferences: DEFAULT_PREFERENCES,
    observations: [],
  })._unsafeUnwrap();
  if (left.kind === 'blocked') throw new Error('Bug: a gate asks for more than a person');
  return left.snapshot;
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
