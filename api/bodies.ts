/** What the routes accept, and the one way input is read. */
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { findNotJson } from '../src/canonical';
import { problem, type RailyardError } from '../src/errors';
import { problemsOf, type TemplateProblem } from '../src/factory/schema';
import { RUN_ID } from '../src/home';

const person = z.string().trim().min(1).max(200);
const text = z.string().max(16_000).default('');

/** POST /factory-run */
export const StartBody = z.strictObject({
  template: z.record(z.string(), z.unknown()),
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

export const ListQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(20) });

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
