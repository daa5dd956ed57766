/**
 * Block v2. Accepts and rejects what the draft-07 schema of the Block v2 document does, and is stricter in two ways:
 * a key the document does not list is an error, and so is `state`, which belongs to the engine. One key is ours:
 * `node`. The document's schema is lax (a dependency may lack its block, a time-out may be negative); what a walk
 * cannot use, the compiler refuses.
 */
import { z } from 'zod';
import { NodeEnvelope } from './node-envelope';

const free = () => z.record(z.string(), z.unknown());

const Trigger = z.strictObject({
  type: z.enum(['dependency', 'cron', 'webhook', 'event', 'manual']),
  cron: z.string().nullable().optional(),
  event: z.string().nullable().optional(),
  webhook: z.string().nullable().optional(),
});

const Inputs = z.strictObject({
  depends: z
    .array(z.strictObject({ block: z.string().optional(), key: z.string().optional() }))
    .optional()
    .describe('Artifacts of other blocks this block needs'),
  files: z.array(z.string()).optional().describe('Workspace files, as glob patterns'),
  env: z.array(z.string()).optional().describe('Names of environment variables handed to the skill'),
  config: free().optional().describe('Free settings for the skill'),
});

const Outputs = z.strictObject({
  artifacts: z
    .array(
      z.strictObject({
        key: z.string().optional(),
        path: z.string().optional(),
        format: z.string().optional(),
      }),
    )
    .optional(),
  metrics: z.array(z.strictObject({ key: z.string().optional(), type: z.string().optional() })).optional(),
  publish: z
    .array(z.strictObject({ domain: z.string().optional(), slug: z.string().optional() }))
    .nullable()
    .optional(),
});

const Execution = z.strictObject({
  parallel_group: z.string().nullable().optional(),
  human_gate: z.enum(['before', 'after', 'none']).optional().meta({ default: 'none' }),
  threshold: z
    .strictObject({ metric: z.string().optional(), min: z.number().optional() })
    .nullable()
    .optional(),
  retryable: z.boolean().optional().meta({ default: true }),
  max_retries: z.number().optional().meta({ default: 2 }),
});

const Scope = z.strictObject({
  gate: z.literal([1, 2, 3, 4, null]).optional(),
  run_params: free().optional().describe('Parameters of the run, replaced for this block'),
});

const Lens = z.strictObject({
  perspective: z.string().nullable().optional(),
  aggregates: z.array(z.string()).nullable().optional(),
  feedback_loop: z.boolean().optional().meta({ default: false }),
});

const RecordState = z.strictObject({
  track_per: z.string().nullable().optional(),
  states: z.array(z.string()).optional(),
});

/** One block of a template, as authored. */
export const Block = z
  .strictObject({
    id: z.string().describe('Unique block identifier, typically matches skill name'),
    name: z.string().describe('Human-readable display name'),
    layer: z
      .enum(['L0', 'L0.25', 'L0.5', 'L1', 'L2', 'L2.5', 'L3', 'L3.5', 'L4'])
      .describe('Execution layer in the pipeline'),
    type: z
      .enum(['extract', 'validate', 'build', 'orchestrate', 'research', 'ingest'])
      .describe('Block functional category'),
    skill: z.string().describe('Maps to SKILL.md file in skills directory'),
    model: z
      .enum(['opus', 'sonnet'])
      .nullable()
      .optional()
      .describe('Model override, null inherits from run config'),
    timeout: z
      .number()
      .optional()
      .meta({ default: 300000, description: 'Execution timeout in milliseconds' }),
    runtime: z
      .enum(['forge', 'claude-cli', 'mastery-api', 'nowpage'])
      .optional()
      .describe('Execution runtime environment'),
    trigger: Trigger,
    inputs: Inputs,
    outputs: Outputs,
    execution: Execution,
    lifecycle: z.strictObject({ mode: z.enum(['one-shot', 'daemon', 'on-demand']) }),
    scope: Scope.optional(),
    lens: Lens.optional(),
    record_state: RecordState.optional(),
    node: NodeEnvelope.optional(),
  })
  .meta({ title: 'Block v2', description: 'Universal execution unit for the Process Factory Engine' });

export type Block = z.infer<typeof Block>;
