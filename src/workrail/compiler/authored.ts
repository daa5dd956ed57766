/** Workflows as authors write them. Read in layers (`read.ts`), so that one slip does not hide the others. */
import { z } from 'zod';
import {
  AUTONOMIES,
  CAPABILITIES,
  DELIMITER_SAFE,
  NON_ASSUMABLE_CHOICES,
  RISK_POLICIES,
  utf8Length,
  ValidationCriteria,
} from '../model';

/** Of one authored text that goes into a prompt as it is. */
export const MAX_TEXT_BYTES = 16_384;
/** Of short texts: titles, roles, messages of criteria. */
export const MAX_SHORT_TEXT_BYTES = 2048;
/** Loops run for as long as agents do; more iterations than this are no plan. */
export const MAX_ITERATIONS = 1000;
const MAX_ID_LENGTH = 128;

const bounded = (maxBytes: number) =>
  z
    .string()
    .regex(/\S/, 'The text must not be blank')
    .superRefine((text, issues) => {
      const bytes = utf8Length(text);
      if (bytes <= maxBytes) return;
      const message = `The text has ${bytes} UTF-8 bytes; at most ${maxBytes} fit.`;
      issues.addIssue({ code: 'custom', message, params: { fix: 'Shorten it, or divide the step.' } });
    });
const text = () => bounded(MAX_TEXT_BYTES);
const short = () => bounded(MAX_SHORT_TEXT_BYTES);
const safeId = () =>
  z
    .string()
    .max(MAX_ID_LENGTH)
    .superRefine((id, issues) => {
      if (DELIMITER_SAFE.test(id)) return;
      const message = `The id "${id}" does not match [a-z0-9_-]+.`;
      issues.addIssue({ code: 'custom', message, params: { fix: `Use "${safeIdFrom(id)}".` } });
    })
    // For the published schema, which does not see into the check.
    .meta({ pattern: DELIMITER_SAFE.source });

/** The nearest id that is safe: the same for the same text. */
function safeIdFrom(text: string): string {
  const id = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return id === '' ? 'step' : id;
}

export const AuthoredFunction = z.strictObject({ name: short(), definition: text() });
export type AuthoredFunction = z.infer<typeof AuthoredFunction>;

/** A line of a prompt: a text of its own, or a canonical one by reference. */
export const PromptItem = z.union([
  text(),
  z.strictObject({ kind: z.literal('ref'), refId: z.string().min(1) }),
]);
export type PromptItem = z.infer<typeof PromptItem>;

export const AuthoredBlocks = z.strictObject({
  goal: PromptItem.optional(),
  constraints: z.array(PromptItem).min(1).optional(),
  procedure: z.array(PromptItem).min(1).optional(),
  outputRequired: z.record(z.string().min(1), short()).optional(),
  verify: z.array(PromptItem).min(1).optional(),
});
export type AuthoredBlocks = z.infer<typeof AuthoredBlocks>;

const contract = z.strictObject({ contractRef: z.string().min(1) });

export const AuthoredStep = z.strictObject({
  type: z.literal('step').optional(),
  id: safeId(),
  title: short(),
  prompt: text().optional(),
  promptBlocks: AuthoredBlocks.optional(),
  agentRole: short().optional(),
  requireConfirmation: z.boolean().optional(),
  performedBy: z.enum(['agent', 'person']).optional(),
  outputContract: contract.optional(),
  /** The other way to write the same. */
  output: contract.optional(),
  validationCriteria: ValidationCriteria.optional(),
  nonAssumableChoice: z.enum(NON_ASSUMABLE_CHOICES).optional(),
  functionReferences: z.array(short()).optional(),
  functionDefinitions: z.array(AuthoredFunction).optional(),
});
export type AuthoredStep = z.infer<typeof AuthoredStep>;

/** A step whose criteria are still to be read: a union says nothing useful about what is wrong in it. */
export const StepHead = AuthoredStep.extend({ validationCriteria: z.unknown().optional() });
export type StepHead = z.infer<typeof StepHead>;

export const AuthoredTemplateCall = z.strictObject({
  type: z.literal('template_call'),
  /** What the ids of its steps begin with. */
  id: safeId(),
  templateId: z.string().min(1),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type AuthoredTemplateCall = z.infer<typeof AuthoredTemplateCall>;

const loopHead = {
  type: z.literal('loop'),
  loopId: safeId(),
  title: short().optional(),
  maxIterations: z.int().min(1).max(MAX_ITERATIONS),
  while: z.strictObject({ kind: z.literal('condition_ref'), conditionId: safeId() }),
  functionDefinitions: z.array(AuthoredFunction).optional(),
};

/** A loop whose body is still to be read. */
export const LoopHead = z.strictObject({ ...loopHead, body: z.array(z.unknown()).min(1) });
export type LoopHead = z.infer<typeof LoopHead>;

/** A loop, whole. */
const AuthoredLoop = z.strictObject({
  ...loopHead,
  get body() {
    return z.array(AuthoredItem).min(1);
  },
});

const AuthoredItem: z.ZodType = z.union([AuthoredStep, z.lazy(() => AuthoredLoop), AuthoredTemplateCall]);

export const AuthoredCondition = z.strictObject({
  id: safeId(),
  kind: z.enum(['always_true', 'always_false', 'loop_control']),
  /** Of `loop_control`: the loop it decides about. */
  loopId: safeId().optional(),
});
export type AuthoredCondition = z.infer<typeof AuthoredCondition>;

export const AuthoredFeature = z.strictObject({
  id: z.string().min(1),
  config: z.record(z.string(), z.unknown()).optional(),
});
export type AuthoredFeature = z.infer<typeof AuthoredFeature>;

const head = {
  $schema: z.string().optional(),
  id: z.string().min(1).max(256),
  name: short(),
  description: text().optional(),
  version: z.string().min(1).max(64).optional(),
  agentRole: short().optional(),
  functionDefinitions: z.array(AuthoredFunction).optional(),
  features: z.array(z.union([z.string().min(1), AuthoredFeature])).optional(),
  capabilities: z
    .partialRecord(z.enum(CAPABILITIES), z.enum(['required', 'preferred', 'disabled']))
    .optional(),
  conditions: z.array(AuthoredCondition).optional(),
  recommendedPreferences: z
    .strictObject({ autonomy: z.enum(AUTONOMIES).optional(), riskPolicy: z.enum(RISK_POLICIES).optional() })
    .optional(),
};

/** A workflow whose steps are still to be read. */
export const WorkflowHead = z.strictObject({ ...head, steps: z.array(z.unknown()).min(1) });
export type WorkflowHead = z.infer<typeof WorkflowHead>;

/** A workflow, whole: for the published JSON Schema. */
export const AuthoredWorkflow = z.strictObject({ ...head, steps: z.array(AuthoredItem).min(1) });
