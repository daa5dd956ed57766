/**
 * Compiled workflows: what a run is pinned to, complete enough to render prompts, check outputs and walk loops without
 * looking at anything else (locks, sections 5 and 9). Its hash is the sha256 of its canonical JSON.
 */
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '../../canonical';
import { AUTONOMIES, CAPABILITIES, NON_ASSUMABLE_CHOICES, RISK_POLICIES } from './closed-sets';
import { ConditionId, ContractRef, Digest, LoopId, StepId, WorkflowId } from './ids';

export const COMPILED_WORKFLOW_VERSION = 1;

const json = () => z.json() as z.ZodType<JsonValue>;
const jsonObject = () => z.record(z.string(), z.json()) as z.ZodType<JsonObject>;
const text = () => z.string().min(1);

/** Where a step comes from. */
export const Provenance = z.strictObject({
  source: z.enum(['authored', 'template_injected', 'feature_injected']),
  originId: text().optional(),
});
export type Provenance = z.infer<typeof Provenance>;

/** A text of `wr.refs.*` that was embedded into a step. */
export const EmbeddedRef = z.strictObject({
  refId: text(),
  refContentHash: Digest,
  bytes: z.int().positive(),
  placement: z.enum(['goal', 'constraints', 'procedure', 'verify']),
});
export type EmbeddedRef = z.infer<typeof EmbeddedRef>;

/** The parts of a prompt after templates and references are in. */
export const PromptBlocks = z.strictObject({
  goal: text().optional(),
  constraints: z.array(text()).optional(),
  procedure: z.array(text()).optional(),
  outputRequired: z.record(z.string(), z.string()).optional(),
  verify: z.array(text()).optional(),
});
export type PromptBlocks = z.infer<typeof PromptBlocks>;

/** What a step's notes must show (locks, sections 18.3 and 19). */
export type ValidationCriteria =
  | { readonly type: 'contains'; readonly value: string; readonly message?: string | undefined }
  | {
      readonly type: 'regex';
      readonly pattern: string;
      readonly flags?: string | undefined;
      readonly message?: string | undefined;
    }
  | {
      readonly type: 'length';
      readonly min?: number | undefined;
      readonly max?: number | undefined;
      readonly message?: string | undefined;
    }
  | { readonly and: readonly ValidationCriteria[] };

const message = { message: text().optional() };
export const ValidationCriteria: z.ZodType<ValidationCriteria> = z.union([
  z.strictObject({ type: z.literal('contains'), value: text(), ...message }),
  z.strictObject({
    type: z.literal('regex'),
    pattern: text(),
    flags: z
      .string()
      .regex(/^[imsu]*$/)
      .optional(),
    ...message,
  }),
  z.strictObject({
    type: z.literal('length'),
    min: z.int().nonnegative().optional(),
    max: z.int().nonnegative().optional(),
    ...message,
  }),
  z.strictObject({ and: z.array(z.lazy(() => ValidationCriteria)).min(1) }),
]);

/** A definition that prompts refer to by name; steps see their own, their loops' and the workflow's. */
export const FunctionDefinition = z.strictObject({
  scope: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('step'), stepId: StepId }),
    z.strictObject({ kind: z.literal('loop'), loopId: LoopId }),
    z.strictObject({ kind: z.literal('workflow') }),
  ]),
  name: text(),
  definition: text(),
});
export type FunctionDefinition = z.infer<typeof FunctionDefinition>;

export const CompiledStep = z.strictObject({
  stepId: StepId,
  title: text(),
  /** The whole text an agent is shown, before what the run adds (requirements, definitions, recap). */
  prompt: text(),
  promptBlocks: PromptBlocks.optional(),
  agentRole: text().optional(),
  requireConfirmation: z.boolean(),
  /** Who can acknowledge the step: an agent, or only a person (a gate). */
  performedBy: z.enum(['agent', 'person']),
  outputContract: z.strictObject({ contractRef: ContractRef }).optional(),
  validationCriteria: ValidationCriteria.optional(),
  /** A choice nobody may assume (locks, section 3). */
  nonAssumableChoice: z.enum(NON_ASSUMABLE_CHOICES).optional(),
  /** The capability that this step probes. */
  probes: z.enum(CAPABILITIES).optional(),
  functionReferences: z.array(text()),
  embeddedRefs: z.array(EmbeddedRef),
  provenance: Provenance,
});
export type CompiledStep = z.infer<typeof CompiledStep>;

/** One place of a walk: a step, or a loop with a body of its own. */
export const WalkItem = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('step'), stepId: StepId }),
  z.strictObject({ kind: z.literal('loop'), loopId: LoopId }),
]);
export type WalkItem = z.infer<typeof WalkItem>;

export const CompiledLoop = z.strictObject({
  loopId: LoopId,
  title: text().optional(),
  maxIterations: z.int().positive(),
  while: z.strictObject({ kind: z.literal('condition_ref'), conditionId: ConditionId }),
  /** Its order defines `bodyIndex`. */
  body: z.array(WalkItem).min(1),
});
export type CompiledLoop = z.infer<typeof CompiledLoop>;

/** A loop goes on by a decision under `wr.contracts.loop_control`, never by a key of the context. */
export const CompiledCondition = z.discriminatedUnion('kind', [
  z.strictObject({ conditionId: ConditionId, kind: z.literal('always_true') }),
  z.strictObject({ conditionId: ConditionId, kind: z.literal('always_false') }),
  z.strictObject({ conditionId: ConditionId, kind: z.literal('loop_control'), loopId: LoopId }),
]);
export type CompiledCondition = z.infer<typeof CompiledCondition>;

/** A contract as it was when the workflow was compiled: an upgrade changes no running run. */
export const EmbeddedContract = z.strictObject({
  contractRef: ContractRef,
  /** The `kind` of the artifact that satisfies it. */
  artifactKind: text(),
  /** JSON Schema (2020-12) of the artifact. */
  schema: jsonObject(),
  example: json(),
  /** What an agent is told under the prompt, a line each. */
  guidance: z.array(text()),
});
export type EmbeddedContract = z.infer<typeof EmbeddedContract>;

export const CompiledWarning = z.strictObject({
  kind: z.enum(['legacy_id', 'gameable_validation', 'unused_function', 'unused_condition']),
  message: text(),
  stepId: StepId.optional(),
});
export type CompiledWarning = z.infer<typeof CompiledWarning>;

export const CompiledWorkflow = z.strictObject({
  schemaVersion: z.literal(COMPILED_WORKFLOW_VERSION),
  workflowId: WorkflowId,
  name: text().optional(),
  description: text().optional(),
  version: text().optional(),
  agentRole: text().optional(),
  recommendedAutonomy: z.enum(AUTONOMIES).optional(),
  recommendedRiskPolicy: z.enum(RISK_POLICIES).optional(),
  /** Sorted by capability. */
  capabilities: z.array(
    z.strictObject({
      capability: z.enum(CAPABILITIES),
      requirement: z.enum(['required', 'preferred', 'disabled']),
    }),
  ),
  /** Sorted by id; each once. */
  features: z.array(z.strictObject({ featureId: text(), config: jsonObject() })),
  /** Sorted by reference; each once. */
  contracts: z.array(EmbeddedContract),
  /** Sorted by scope (step, loop, workflow), the scope's id, and name. */
  functions: z.array(FunctionDefinition),
  /** The walk at the top level. */
  walk: z.array(WalkItem).min(1),
  /** Every step once, in the order of the walk, bodies of loops in place. */
  steps: z.array(CompiledStep).min(1),
  /** Sorted by id. */
  conditions: z.array(CompiledCondition),
  /** Sorted by id. */
  loops: z.array(CompiledLoop),
  compiledWarnings: z.array(CompiledWarning),
  /** What the producer of a factory's workflows keeps beside the walk (the compiled factory or block). */
  extension: jsonObject().optional(),
});
export type CompiledWorkflow = z.infer<typeof CompiledWorkflow>;
