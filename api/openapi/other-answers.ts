/** What the other routes answer with. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../src/errors';

const gateKind = z.enum(['before', 'after']);
const about = { block: z.string(), gate: gateKind };

/** POST …/approve and …/reject */
export const Decided = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('decided'),
    ...about,
    attempt: z.int(),
    decision: z.enum(['approved', 'rejected']),
    via: z.enum(['decision', 'override']),
  }),
  z.strictObject({
    kind: z.literal('counted'),
    ...about,
    attempt: z.int(),
    have: z.int(),
    need: z.int(),
  }),
  z.strictObject({ kind: z.literal('kept'), ...about }),
]);

/** The same, while no worker is there. */
export const Stored = z.strictObject({ kind: z.literal('stored'), block: z.string() });

/** An event, in the same way. */
export const StoredEvent = z.strictObject({ kind: z.literal('stored'), event: z.string() });

/** GET …/webhooks */
export const Webhooks = z.strictObject({
  webhooks: z.array(
    z.strictObject({ block: z.string(), path: z.string(), url: z.string(), secret: z.string() }),
  ),
});

/** POST …/pause, …/resume, …/cancel */
export const Controlled = z.strictObject({
  kind: z.literal('run'),
  status: z.enum(['running', 'pausing', 'paused', 'cancelling', 'completed', 'failed', 'cancelled']),
  changed: z.boolean(),
});

/** POST …/block/{block}/retry */
export const Retrying = z.strictObject({ kind: z.literal('retrying'), block: z.string(), attempt: z.int() });

/** POST …/block/{block}/trigger, …/event and …/webhook/{path} */
export const Triggered = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('trigger'),
    result: z.enum(['triggered', 'kept', 'no-listener']),
    triggered: z.array(z.string()),
    kept: z.array(z.string()),
  }),
  z.strictObject({ kind: z.literal('ignored'), why: z.string() }),
]);

/** A directory artifact. */
export const Listing = z.strictObject({
  digest: z.string(),
  files: z.array(z.strictObject({ path: z.string(), digest: z.string(), bytes: z.int() })),
});

const facts = {
  factory: z.string(),
  title: z.string(),
  hash: z.string(),
  ...{ blocks: z.int(), groups: z.int(), gates: z.int() },
  parameters: z.array(z.string()),
};

/** GET /template */
export const Templates = z.strictObject({
  templates: z.array(z.strictObject({ name: z.string(), ...facts })),
});

/** POST /template/validate */
export const Validated = z.strictObject({ valid: z.literal(true), ...facts });

/** POST /template/graph */
export const Graph = z.strictObject({ format: z.enum(['mermaid', 'dot']), text: z.string() });

/** GET /template/{name} */
export const TemplateText = z.record(z.string(), z.unknown());

/** GET /healthz */
export const Health = z.strictObject({ status: z.literal('ok') });

/** GET /readyz */
export const Ready = z.strictObject({ status: z.literal('ready') });

/** Every error. */
export const ErrorAnswer = z.strictObject({
  // The table is not empty, which is what the type of an enum wants to know.
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  suggestion: z.string(),
  retry: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('not_retryable') }),
    z.strictObject({ kind: z.literal('retryable_immediate') }),
    z.strictObject({ kind: z.literal('retryable_after_ms'), afterMs: z.number() }),
  ]),
  details: z.record(z.string(), z.unknown()).optional(),
});

const keyLine = {
  id: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  state: z.enum(['active', 'expired', 'revoked']),
  created: z.iso.datetime(),
  expires: z.iso.datetime().nullable(),
  revoked: z.iso.datetime().nullable(),
};

/** GET /key and POST /key/{id}/revoke: a key without its secret. */
export const Key = z.strictObject(keyLine);
export const Keys = z.strictObject({
  keys: z.array(Key),
  next_cursor: z.string().nullable().describe('Of the next page; null: this is the last one'),
});

/** POST /key: with its secret, this once. */
export const NewKey = z.strictObject({ key: z.string(), ...keyLine });
