/** The factory template: blocks with shared configuration, groups, gates, thresholds and the module mapping. */
import { z } from 'zod';
import { Block } from './block';

const name = () => z.string().min(1);
const names = () => z.array(name());

const Group = z.union([
  names(),
  z.strictObject({
    blocks: names(),
    max_concurrent: z.int().positive().optional().describe('Unlimited where it is absent'),
  }),
]);

const eitherSide = [{ required: ['after_block'] }, { required: ['before_block'] }];

const HumanGate = z
  .strictObject({
    after_block: name().optional(),
    before_block: name().optional(),
    approvers: names().optional().describe('Roles that may decide; absent or empty: any approver role'),
    quorum: z
      .union([z.enum(['any', 'all']), z.int().positive()])
      .optional()
      .meta({
        default: 'any',
        description: 'One person, one for every approver role, or that many distinct people',
      }),
    timeout_hours: z.number().positive().optional(),
    auto_approve_on_timeout: z.boolean().optional().meta({ default: false }),
    self_approval: z.boolean().optional().meta({
      default: false,
      description: 'Whether the person who started the run may decide',
    }),
  })
  .refine((gate) => (gate.after_block === undefined) !== (gate.before_block === undefined), {
    error: 'A human gate names exactly one of "after_block" and "before_block".',
    params: { fix: 'Keep "after_block" or "before_block", not both and not neither.' },
  })
  // A refinement has no JSON Schema of its own.
  .meta({ oneOf: eitherSide });

const Threshold = z.strictObject({
  block: name(),
  metric: name(),
  min: z.number(),
  action: z
    .enum(['fail', 'warn'])
    .optional()
    .meta({ default: 'fail', description: 'fail: what depends on the block does not start; warn: log only' }),
  override_allowed: z.boolean().optional().meta({ default: true }),
});

/** A factory template, as authored. */
export const Template = z
  .strictObject({
    factory: z.strictObject({
      id: z.string(),
      name: z.string(),
      version: z.string().optional(),
      pattern: z.string().optional(),
      description: z.string().optional(),
    }),
    config: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Shared values; a {{placeholder}} in one names a parameter of the run'),
    blocks: z.array(Block).min(1),
    parallel_groups: z.record(z.string().min(1), Group).optional(),
    human_gates: z.array(HumanGate).optional(),
    thresholds: z.array(Threshold).optional(),
    module_mapping: z.record(z.string(), names()).optional(),
  })
  .meta({ title: 'Factory template', description: 'A pipeline of blocks' });

export type Template = z.infer<typeof Template>;
export type HumanGate = z.infer<typeof HumanGate>;
export type Threshold = z.infer<typeof Threshold>;
