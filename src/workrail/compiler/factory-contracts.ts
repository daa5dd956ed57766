/** Packs of the facts that a factory keeps as artifacts. Steps of authored workflows do not ask for them. */
import { z } from 'zod';
import { Digest } from '../model';
import { type ContractPack } from './contracts';

/** What a factory keeps of what was asked of it and what fired. */
export const FACTORY_CONTROLS = [
  'quorum_vote',
  'early_decision',
  'kept_event',
  'kept_webhook',
  'trigger_fired',
  'cron_fired',
  'pause',
  'resume',
  'cancel_requested',
  'gate_overdue',
  'operator_retry',
  'threshold_warning',
  'standing_approval',
  'clone_skipped',
  'daemon_run',
] as const;
export type FactoryControl = (typeof FACTORY_CONTROLS)[number];

const DIGEST = `sha256:${'0'.repeat(64)}`;
const id = z.string().min(1).max(256);
const attempt = z.int().positive();
const text = z.string();

export const FACTORY_PACKS: readonly ContractPack[] = [
  {
    contractRef: 'wr.contracts.block_result',
    artifactKind: 'wr.block_result',
    askedBy: 'factory',
    purpose: 'What one attempt of a block produced: metrics, records, and which artifact is which.',
    schema: z.strictObject({
      kind: z.literal('wr.block_result'),
      block: id,
      attempt,
      outcome: z.enum(['succeeded', 'failed']).optional(),
      failure: z.string().min(1).optional(),
      error: text.optional(),
      notes: text.optional(),
      metrics: z.record(z.string(), z.unknown()),
      records: z.array(z.strictObject({ id, state: z.string().min(1) })),
      recordCounts: z.record(z.string(), z.int().nonnegative()).optional(),
      standIn: z.strictObject({ ran: id, asked: id }).optional(),
      artifacts: z.array(
        z.strictObject({
          key: id,
          /** Relative to the workspace of the run. */
          path: z.string().min(1),
          format: z.string().min(1).optional(),
          /** Whoever performs the block may leave these out; they are taken from the file. */
          digest: Digest.optional(),
          bytes: z.int().nonnegative().optional(),
        }),
      ),
    }),
    example: {
      kind: 'wr.block_result',
      block: 'extract',
      attempt: 1,
      metrics: { score: 0.9 },
      records: [],
      artifacts: [{ key: 'report', path: 'out/report.md', format: 'markdown', digest: DIGEST }],
    },
    guidance: ['metrics, records and artifacts of the attempt; each artifact by key, path and digest'],
  },
  {
    contractRef: 'wr.contracts.gate_decision',
    artifactKind: 'wr.gate_decision',
    askedBy: 'factory',
    purpose: 'How a gate opening ended: who decided what, having been shown which bytes.',
    schema: z.strictObject({
      kind: z.literal('wr.gate_decision'),
      block: id,
      attempt,
      gate: id,
      decision: z.enum(['approved', 'rejected', 'cancelled']),
      via: z.enum(['decision', 'timeout', 'cancel', 'override', 'standing']),
      person: text,
      role: text,
      action: z.enum(['retry', 'abort']).optional(),
      notes: text.optional(),
      feedback: text.optional(),
      override: z.boolean().optional(),
      justification: text.optional(),
      /** Digests of what the person was shown. */
      shown: z.array(Digest).optional(),
      /** The same with block, key and what set the block off. */
      evidence: z.array(z.string()).optional(),
      /** The request that ended the opening, as it was made. */
      fact: z.record(z.string(), z.unknown()).optional(),
    }),
    example: {
      kind: 'wr.gate_decision',
      block: 'extract',
      attempt: 1,
      gate: 'human',
      decision: 'approved',
      via: 'decision',
      person: 'ana',
      role: 'lead',
      notes: 'Reads well.',
      shown: [DIGEST],
    },
    guidance: ['decision, person and role; what they were shown by digest'],
  },
  {
    contractRef: 'wr.contracts.factory_control',
    artifactKind: 'wr.factory_control',
    askedBy: 'factory',
    purpose: 'A request to a factory, or something that fired in it.',
    schema: z.strictObject({
      kind: z.literal('wr.factory_control'),
      control: z.enum(FACTORY_CONTROLS),
      /** The request's idempotency key. */
      key: id,
      block: id.optional(),
      by: text.optional(),
      data: z.record(z.string(), z.unknown()),
      /** The event of the walk, as it was accepted. */
      fact: z.record(z.string(), z.unknown()).optional(),
    }),
    example: { kind: 'wr.factory_control', control: 'pause', key: 'req-1', by: 'ana', data: {} },
    guidance: ['control: what was asked or fired; key: the idempotency key of the request'],
  },
];
