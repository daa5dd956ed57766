/** What the routes of runs answer with. The tests hold real answers against these; the types hold these against ours. */
import { z } from 'zod';
import { LISTED_STATUS } from '../bodies';
import { type RunLine } from '../run-reader';
import { type RunView } from '../run-view';

const when = z.string().describe('ISO 8601, UTC');
const metrics = z.record(z.string(), z.unknown());
const blockStatus = ['pending', 'ready', 'running', 'done', 'failed', 'blocked', 'waiting'] as const;
/** Why an attempt was missed. */
export const failure = z.enum([
  ...(['error', 'timeout', 'missing_artifact', 'metric_missing'] as const),
  ...(['threshold_not_met', 'gate_rejected', 'cancelled'] as const),
]);
const gateKind = z.enum(['before', 'after']);

export const Artifact = z.strictObject({
  key: z.string(),
  path: z.string(),
  format: z.string(),
  digest: z.string(),
  bytes: z.int(),
});

export const Trigger = z.strictObject({
  type: z.enum(['manual', 'webhook', 'event', 'cron']),
  id: z.string(),
  by: z.string(),
  at: when,
  payload: z.json(),
});

export const Attempt = z.strictObject({
  attempt: z.int(),
  score: z.number().nullable(),
  metrics,
  failure: failure.nullable(),
  error: z.string().nullable(),
  started_at: when.nullable(),
  ended_at: when.nullable(),
});

export const Feedback = z.strictObject({
  attempt: z.int(),
  from: z.string(),
  role: z.string(),
  text: z.string(),
});

const Block = z.strictObject({
  id: z.string(),
  name: z.string(),
  layer: z.enum(['L0', 'L0.25', 'L0.5', 'L1', 'L2', 'L2.5', 'L3', 'L3.5', 'L4']),
  group: z.string().nullable(),
  depends: z.array(z.strictObject({ block: z.string(), key: z.string() })),
  status: z.enum(blockStatus),
  attempt: z.int(),
  attempts: z.int().describe('Retries that were used up'),
  started_at: when.nullable(),
  ended_at: when.nullable(),
  score: z.number().nullable(),
  error: z.string().nullable(),
  failure: failure.nullable(),
  metrics,
  notes: z.string(),
  record_counts: z.record(z.string(), z.number()),
  artifacts: z.array(Artifact),
  history: z.array(Attempt.extend({ started_at: when, ended_at: when })),
  feedback: z.array(Feedback),
  warnings: z.array(z.string()),
  trigger: Trigger.nullable(),
  next_tick: when.nullable(),
  last_done: z.strictObject({ attempt: z.int(), artifacts: z.array(Artifact) }).nullable(),
  waiting_for: z.string().nullable().describe('Why it is not running, in words'),
});

export const Outcome = z.strictObject({
  decision: z.enum(['approved', 'rejected', 'cancelled']),
  via: z.enum(['decision', 'timeout', 'cancel', 'override', 'standing']),
  by: z.string(),
  role: z.string(),
  action: z.enum(['retry', 'abort']).nullable(),
  notes: z.string(),
  feedback: z.string(),
  justification: z.string(),
  at: when,
});

/** What is known of an opening of a gate. */
export const opening = {
  block: z.string(),
  gate: gateKind,
  attempt: z.int(),
  opened_at: when,
  deadline: when.nullable(),
  overdue: z.boolean(),
  approvers: z.array(z.string()).describe('Roles that may decide; none: any role in which gates are decided'),
  quorum: z.union([z.enum(['any', 'all']), z.int()]),
  self_approval: z.boolean(),
  outcome: Outcome.nullable(),
};

const vote = { approver: z.string(), role: z.string(), at: when };
export const Vote = z.strictObject(vote);

const counts = z.strictObject({
  ...{ pending: z.int(), ready: z.int(), running: z.int(), done: z.int() },
  ...{ failed: z.int(), blocked: z.int(), waiting: z.int() },
});

/** GET /factory-run/{run} */
export const Run = z.strictObject({
  run_id: z.string(),
  factory: z.string(),
  factory_hash: z.string(),
  status: z.enum(['running', 'pausing', 'paused', 'cancelling', 'completed', 'failed', 'cancelled']),
  reason: z.string().nullable(),
  orphaned: z.boolean().describe('It is not over, and no workflow drives it'),
  resume_with: z.string().nullable().describe('The command that goes on with a run that is orphaned'),
  started_by: z.string(),
  started_at: when,
  ended_at: when.nullable(),
  workspace: z.string(),
  parameters: z.record(z.string(), z.json()),
  counts,
  groups: z.array(
    z.strictObject({
      name: z.string(),
      ...{ done: z.int(), failed: z.int(), running: z.int(), waiting: z.int(), total: z.int() },
      text: z.string(),
    }),
  ),
  blocks: z.array(Block),
  gates: z.array(z.strictObject({ ...opening, votes: z.array(z.strictObject({ ...vote, id: z.string() })) })),
  early_decisions: z.array(
    z.strictObject({
      block: z.string(),
      gate: gateKind.nullable(),
      decision: z.enum(['approve', 'reject']),
      approver: z.string(),
      role: z.string(),
    }),
  ),
}) satisfies z.ZodType<RunView>;

const Line = z.strictObject({
  run_id: z.string(),
  factory: z.string(),
  status: z.enum(LISTED_STATUS),
  started_by: z.string(),
  started_at: when,
  done: z.int().nullable(),
  total: z.int().nullable(),
  open_gates: z.array(z.string()),
}) satisfies z.ZodType<RunLine>;

const next_cursor = z.string().nullable().describe('Of the next page; null: this is the last one');

/** GET /factory-run */
export const RunPage = z.strictObject({ runs: z.array(Line), next_cursor });

/** POST /factory-run */
export const Started = z.strictObject({ run_id: z.string(), url: z.string(), warnings: z.array(z.string()) });

const shown = Artifact.extend({
  block: z.string(),
  url: z.string(),
  preview: z.strictObject({ text: z.string(), cut: z.boolean() }).nullable(),
});

/** GET /factory-run/{run}/gate/{block} */
export const Gate = z.strictObject({
  ...opening,
  run_id: z.string(),
  factory: z.string(),
  started_by: z.string(),
  name: z.string(),
  votes: z.array(Vote),
  waiting_for: z.string().nullable(),
  inputs: z.array(shown),
  outputs: z.array(shown),
  digests: z.array(z.string()).describe('To be sent with the decision'),
  attempts: z.array(Attempt),
  feedback: z.array(Feedback),
  trigger: Trigger.nullable(),
  warnings: z.array(z.string()),
  notes: z.string(),
});

/** GET /gate */
export const GatePage = z.strictObject({
  gates: z.array(Gate),
  total: z.int(),
  next_cursor,
  unread: z.array(z.string()).describe('Runs that cannot be read now'),
});
