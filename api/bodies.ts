/** What the routes accept, and the one way input is read. */
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { findNotJson } from '../src/canonical';
import { problem, type RailyardError } from '../src/errors';
import { problemsOf, type TemplateProblem } from '../src/factory/schema';
import { LOCAL_NAME, MAX_KEY_ROLE, RUN_ID } from '../src/home';
import { Cursor } from './cursor';
import { type RunLine } from './run-reader';

const person = z.string().trim().min(1).max(200);
const text = z.string().max(16_000).default('');

const template = z
  .record(z.string(), z.unknown())
  .describe('A factory template, as docs/schemas/factory-template.schema.json describes it');
const format = z.enum(['mermaid', 'dot']).default('mermaid');

/** POST /template/validate */
export const ValidateBody = z.strictObject({ template });

/** POST /template/graph */
export const GraphBody = z.strictObject({ template, format });

/** GET /template/{name}/graph */
export const GraphQuery = z.strictObject({ format });

/** POST /factory-run */
export const StartBody = z.strictObject({
  template,
  parameters: z.record(z.string(), z.json()).default({}),
  started_by: person.optional(),
  run_id: z
    .string()
    .regex(RUN_ID, { error: 'A run id has letters, digits, "-" and "_", at most 120 of them' })
    .optional(),
});

const decision = {
  approver: person,
  role: z.string().trim().min(1).max(100),
  notes: text,
  gate: z.enum(['before', 'after']).optional(),
  attempt: z.int().positive().optional(),
  digests: z.array(z.string().max(100)).max(1_000).optional(),
};

/** POST …/gate/{block}/approve */
export const ApproveBody = z.strictObject({
  ...decision,
  override: z.boolean().default(false),
  justification: text,
});

/** POST …/gate/{block}/reject */
export const RejectBody = z.strictObject({
  ...decision,
  action: z.enum(['retry', 'abort']).default('retry'),
  feedback: text,
});

/** POST …/pause, resume, cancel, retry */
export const ControlBody = z.strictObject({
  by: person.default('local'),
  reason: z.string().max(2_000).optional(),
});

/** POST …/resume */
export const ResumeBody = z.strictObject({
  by: person.default('local'),
  take_over: z
    .boolean()
    .default(false)
    .describe('Begin a new workflow from the store, whoever drives the run now, or wherever it has moved to'),
});

/** POST …/fence */
export const FenceBody = z.strictObject({ by: person.default('local') });

/** POST /import */
export const ImportQuery = z.strictObject({
  workspace: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('Where the run works from now on: an absolute path'),
});

/** POST …/block/{block}/trigger */
export const TriggerBody = z.strictObject({ by: person.default('local'), payload: z.json().default(null) });

/** POST …/event */
export const EventBody = z.strictObject({
  name: z.string().trim().min(1).max(200),
  by: person.default('local'),
  payload: z.json().default(null),
});

/** POST /key */
export const KeyBody = z.strictObject({
  name: person.refine((name) => name !== LOCAL_NAME, `"${LOCAL_NAME}" is the name of the local key`),
  roles: z
    .array(
      z
        .string()
        .max(MAX_KEY_ROLE)
        .regex(/^[^\s,]+$/, { error: 'A role is one word without commas' })
        .refine((role) => !/\p{Cc}/u.test(role), 'A role has no control characters'),
    )
    .min(1)
    .max(50),
  expires: z.iso
    .datetime({ offset: true })
    .refine((text) => Date.parse(text) > Date.now(), 'That is over already')
    .nullable()
    .default(null),
});

/** GET /key */
export const KeysQuery = z.strictObject({
  state: z.enum(['active', 'expired', 'revoked']).optional(),
  name: person.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor.optional(),
});

/** POST …/webhook/{path} */
export const WebhookBody = z.json().describe('Any JSON, at most 64 KB of it: what the skill is handed');

/** POST /mcp */
export const McpBody = z.json().describe('A JSON-RPC 2.0 message of the Model Context Protocol');

/** What a run can be in a list. */
export const LISTED_STATUS = [
  ...(['running', 'pausing', 'paused', 'cancelling', 'completed', 'failed', 'cancelled'] as const),
  ...(['orphaned', 'unknown'] as const),
] as const satisfies readonly RunLine['status'][];

/** GET /factory-run */
export const ListQuery = z.strictObject({
  status: z.enum(LISTED_STATUS).optional(),
  factory: z.string().trim().min(1).max(200).optional(),
  started_by: person.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(20),
  cursor: Cursor.optional(),
});

/** GET /gate */
export const GateQuery = z.strictObject({
  role: z.string().trim().min(1).max(100).optional(),
  run: z.string().regex(RUN_ID, { error: 'This is not the id of a run' }).optional(),
  overdue: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor.optional(),
});

/** Read input by its schema; INPUT_INVALID names every problem. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, RailyardError> {
  // First, since no text with a lone surrogate can be hashed, and no schema is made for a depth of thousands.
  const fault = findNotJson(value ?? {});
  if (fault) {
    const fix = 'Send JSON of whole Unicode characters that is not nested deeply.';
    return err(invalid([{ pointer: fault.pointer, message: `This is ${fault.reason}.`, fix }]));
  }
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return ok(parsed.data);
  return err(invalid(problemsOf(parsed.error.issues, schema, value)));
}

function invalid(problems: readonly TemplateProblem[]): RailyardError {
  const [first] = problems;
  const where = first?.pointer ? ` at ${first.pointer}` : '';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const message = `The request is not valid${where}: ${first?.message ?? ''}${more}`;
  return problem('INPUT_INVALID', message, {
    ...(first ? { suggestion: first.fix } : {}),
    details: { problems },
  });
}
