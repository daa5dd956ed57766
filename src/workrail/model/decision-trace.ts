/** Why the engine went where it went: bounded, for people, never needed for correctness (locks, section 1). */
import { z } from 'zod';
import * as budgets from './budgets';
import { TRACE_KINDS } from './closed-sets';
import { ConditionId, LoopId, StepId, TraceId } from './ids';
import { isBoundedText, truncateUtf8, utf8Length } from './text';

export const TraceRef = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('step_id'), stepId: StepId }),
  z.strictObject({ kind: z.literal('loop_id'), loopId: LoopId }),
  z.strictObject({ kind: z.literal('condition_id'), conditionId: ConditionId }),
  z.strictObject({ kind: z.literal('iteration'), value: z.int().nonnegative() }),
]);
export type TraceRef = z.infer<typeof TraceRef>;

export const TraceEntry = z.object({
  kind: z.enum(TRACE_KINDS),
  summary: z
    .string()
    .refine(
      (text) => isBoundedText(text, budgets.MAX_TRACE_SUMMARY_BYTES),
      `must have at least one character and fit into ${budgets.MAX_TRACE_SUMMARY_BYTES} UTF-8 bytes`,
    ),
  refs: z.array(TraceRef).max(budgets.MAX_TRACE_REFS).optional(),
});
export type TraceEntry = z.infer<typeof TraceEntry>;

export const DecisionTrace = z.object({
  traceId: TraceId,
  entries: z
    .array(TraceEntry)
    .min(1)
    .max(budgets.MAX_TRACE_ENTRIES)
    .refine(
      (entries) => totalBytes(entries) <= budgets.MAX_TRACE_TOTAL_BYTES,
      `must fit into ${budgets.MAX_TRACE_TOTAL_BYTES} UTF-8 bytes together`,
    ),
});
export type DecisionTrace = z.infer<typeof DecisionTrace>;

/** Cut entries down to the budgets: the first ones are kept, each summary is cut where the room ends. */
export function fitTrace(entries: readonly TraceEntry[]): TraceEntry[] {
  let left = budgets.MAX_TRACE_TOTAL_BYTES;
  const kept = entries.slice(0, budgets.MAX_TRACE_ENTRIES);
  return kept.map((entry, i) => {
    // Each entry that follows keeps room for a marker, so that none has to be dropped.
    const reserved = (kept.length - 1 - i) * MIN_SUMMARY_BYTES;
    const room = Math.min(budgets.MAX_TRACE_SUMMARY_BYTES, left - reserved);
    const summary = truncateUtf8(entry.summary, room);
    left -= utf8Length(summary);
    return {
      ...entry,
      summary,
      ...(entry.refs ? { refs: entry.refs.slice(0, budgets.MAX_TRACE_REFS) } : {}),
    };
  });
}

/** Room for a marker and a little text. */
const MIN_SUMMARY_BYTES = 32;

const totalBytes = (entries: readonly { summary: string }[]): number =>
  entries.reduce((sum, { summary }) => sum + utf8Length(summary), 0);
