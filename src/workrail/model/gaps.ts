/** Gaps: what was missing when a run went on, disclosed for ever (locks, section 3). Resolving one is another event. */
import { z } from 'zod';
import { MAX_EVIDENCE_REFS, MAX_SUMMARY_BYTES } from './budgets';
import * as sets from './closed-sets';
import { EventId, GapId, OutputId } from './ids';
import { isBoundedText } from './text';

export const boundedSummary = z
  .string()
  .refine(
    (text) => isBoundedText(text, MAX_SUMMARY_BYTES),
    `must have at least one character and fit into ${MAX_SUMMARY_BYTES} UTF-8 bytes`,
  );

export const GapReason = z.discriminatedUnion('category', [
  z.object({ category: z.literal('user_only_dependency'), detail: z.enum(sets.USER_ONLY_DEPENDENCIES) }),
  z.object({ category: z.literal('contract_violation'), detail: z.enum(sets.CONTRACT_VIOLATIONS) }),
  z.object({ category: z.literal('capability_missing'), detail: z.enum(sets.CAPABILITY_GAPS) }),
  z.object({ category: z.literal('unexpected'), detail: z.enum(sets.UNEXPECTED_GAPS) }),
]);
export type GapReason = z.infer<typeof GapReason>;

export const GapRecorded = z.object({
  gapId: GapId,
  severity: z.enum(sets.GAP_SEVERITIES),
  reason: GapReason,
  summary: boundedSummary,
  resolution: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('unresolved') }),
    z.object({ kind: z.literal('resolves'), resolvesGapId: GapId }),
  ]),
  evidenceRefs: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('event'), eventId: EventId }),
        z.strictObject({ kind: z.literal('output'), outputId: OutputId }),
      ]),
    )
    .max(MAX_EVIDENCE_REFS)
    .optional(),
});
export type GapRecorded = z.infer<typeof GapRecorded>;
