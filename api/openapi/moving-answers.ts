/** What the routes of audits and of runs that move house answer with. */
import { z } from 'zod';
import { type RunAudit } from '../../src/ledger';
import { Artifact, failure } from './run-answers';

const when = z.string().describe('ISO 8601, UTC');
const event = z.int().describe('The place of the event in the session');
const fact = z.int().describe('The place among the facts of the run');
const block = z.string().nullable();
const gateKind = z.enum(['before', 'after']);

/** GET …/audit */
export const Audit = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  session: z.strictObject({ id: z.string(), events: z.int(), last_event: z.string() }),
  factory: z.strictObject({ id: z.string(), name: z.string(), hash: z.string() }),
  parameters: z.record(z.string(), z.json()),
  started: z.strictObject({ by: z.string(), at: when }),
  status: z.enum(['running', 'pausing', 'paused', 'cancelling', 'completed', 'failed', 'cancelled']),
  reason: z.string().nullable(),
  ended_at: when.nullable(),
  drivers: z.array(
    z.strictObject({
      event,
      at: when,
      epoch: z.int(),
      workflow: z.string(),
      by: z.string(),
      deadlines_began_anew: z.boolean(),
    }),
  ),
  attempts: z.array(
    z.strictObject({
      block: z.string(),
      attempt: z.int(),
      started_at: when,
      inputs: z.array(z.strictObject({ block: z.string(), key: z.string(), digest: z.string() })),
      feedback: z.int(),
      trigger: z.strictObject({ type: z.string(), payload: z.json() }).nullable(),
      end: z
        .strictObject({
          fact,
          at: when,
          outcome: z.enum(['succeeded', 'failed']),
          result: z.string(),
          failure: failure.nullable(),
          error: z.string().nullable(),
          metrics: z.record(z.string(), z.unknown()),
          notes: z.string(),
          artifacts: z.array(Artifact),
          stand_in: z.strictObject({ ran: z.string(), asked: z.string() }).nullable(),
        })
        .nullable(),
    }),
  ),
  gates: z.array(
    z.strictObject({
      block: z.string(),
      gate: gateKind,
      attempt: z.int(),
      opened_at: when,
      deadline: when.nullable(),
      overdue: z.boolean(),
      votes: z.array(z.strictObject({ approver: z.string(), role: z.string(), at: when, id: z.string() })),
      outcome: z
        .strictObject({
          decision: z.enum(['approved', 'rejected', 'cancelled']),
          via: z.enum(['decision', 'timeout', 'cancel', 'override', 'standing']),
          by: z.string(),
          role: z.string(),
          action: z.enum(['retry', 'abort']).nullable(),
          notes: z.string(),
          feedback: z.string(),
          justification: z.string(),
          at: when,
          evidence: z.array(z.string()),
        })
        .nullable(),
    }),
  ),
  decisions: z.array(
    z.strictObject({
      fact,
      at: when,
      id: z.string(),
      block: z.string(),
      gate: gateKind.nullable(),
      attempt: z.int().nullable(),
      person: z.string(),
      role: z.string(),
      said: z.enum(['approve', 'reject', 'override']),
      action: z.enum(['retry', 'abort']).nullable(),
      notes: z.string(),
      feedback: z.string(),
      justification: z.string(),
      shown: z.array(z.string()).nullable(),
      result: z.string(),
    }),
  ),
  controls: z.array(
    z.strictObject({
      fact,
      at: when,
      what: z.enum(['gate-timeout', 'trigger', 'event', 'tick', 'pause', 'resume', 'cancel', 'retry-block']),
      by: z.string().nullable(),
      block,
      detail: z.record(z.string(), z.json()),
      result: z.string(),
    }),
  ),
  gaps: z.array(
    z.strictObject({
      gap: z.string(),
      event,
      at: when,
      block,
      severity: z.string(),
      reason: z.string(),
      summary: z.string(),
      resolved: z.strictObject({ event, at: when, summary: z.string() }).nullable(),
    }),
  ),
  divergences: z.array(z.strictObject({ event, at: when, block, reason: z.string(), summary: z.string() })),
  capabilities: z.array(
    z.strictObject({
      event,
      at: when,
      block,
      capability: z.string(),
      status: z.string(),
      provenance: z.string(),
    }),
  ),
  warnings: z.array(z.strictObject({ at: when, block: z.string(), text: z.string() })),
}) satisfies z.ZodType<RunAudit>;

/** POST …/fence */
export const Fenced = z.strictObject({
  run_id: z.string(),
  epoch: z.int(),
  fenced: z.boolean().describe('False: the run is over, and nobody drove it'),
});

/** POST /import */
export const Imported = z.strictObject({
  session_id: z.string(),
  exported_session_id: z.string(),
  fresh: z.boolean().describe('False: this store had all of it already'),
  events: z.int(),
  missing_artifacts: z.array(z.string()),
  run: z
    .strictObject({
      run_id: z.string(),
      factory: z.string(),
      workspace: z.string(),
      url: z.string(),
      resume_with: z.string(),
    })
    .nullable(),
});
