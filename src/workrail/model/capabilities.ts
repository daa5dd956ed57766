/** What is known of a capability, and from where: an agent's word is weak, a probe is strong (locks, section 1). */
import { z } from 'zod';
import { CAPABILITIES, CAPABILITY_FAILURES, CAPABILITY_STATUSES } from './closed-sets';
import { CapabilityObservationId } from './ids';

const result = z.enum(['success', 'failure']);
const name = z.string().min(1).max(256);

export const CapabilityProvenance = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('probe_step'),
    enforcementGrade: z.literal('strong'),
    detail: z.object({ probeTemplateId: name, probeStepId: name, result }),
  }),
  z.object({
    kind: z.literal('attempted_use'),
    enforcementGrade: z.literal('strong'),
    detail: z
      .object({
        attemptContext: z.enum(['workflow_step', 'system_probe']),
        result,
        failureCode: z.enum(CAPABILITY_FAILURES).optional(),
      })
      .refine(({ result: how, failureCode }) => (how === 'failure') === (failureCode !== undefined), {
        path: ['failureCode'],
        message: 'must be there exactly when the result is a failure',
      }),
  }),
  z.object({
    kind: z.literal('manual_claim'),
    enforcementGrade: z.literal('weak'),
    detail: z.object({ claimedBy: z.enum(['agent', 'user']), claim: z.enum(['available', 'unavailable']) }),
  }),
]);
export type CapabilityProvenance = z.infer<typeof CapabilityProvenance>;

export const CapabilityObserved = z.object({
  capObsId: CapabilityObservationId,
  capability: z.enum(CAPABILITIES),
  status: z.enum(CAPABILITY_STATUSES),
  provenance: CapabilityProvenance,
});
export type CapabilityObserved = z.infer<typeof CapabilityObserved>;
