/** Why an attempt was blocked, as data (locks, section 1). A report over its budget is refused, never cut. */
import { z } from 'zod';
import { MAX_BLOCKER_FIX_BYTES, MAX_BLOCKER_MESSAGE_BYTES, MAX_BLOCKERS } from './budgets';
import { BLOCKER_CODES, CAPABILITIES } from './closed-sets';
import { ContractRef, DELIMITER_SAFE, StepId } from './ids';
import { byCodeUnits } from './lexical';
import { isBoundedText } from './text';

const bounded = (maxBytes: number) =>
  z
    .string()
    .refine(
      (text) => isBoundedText(text, maxBytes),
      `must have at least one character and fit into ${maxBytes} UTF-8 bytes`,
    );

/** What a blocker is about. */
export const BlockerPointer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('context_key'), key: z.string().regex(DELIMITER_SAFE) }),
  z.strictObject({ kind: z.literal('context_budget') }),
  z.strictObject({ kind: z.literal('output_contract'), contractRef: ContractRef }),
  z.strictObject({ kind: z.literal('capability'), capability: z.enum(CAPABILITIES) }),
  z.strictObject({ kind: z.literal('workflow_step'), stepId: StepId }),
]);
export type BlockerPointer = z.infer<typeof BlockerPointer>;

export const Blocker = z.object({
  code: z.enum(BLOCKER_CODES),
  pointer: BlockerPointer,
  message: bounded(MAX_BLOCKER_MESSAGE_BYTES),
  suggestedFix: bounded(MAX_BLOCKER_FIX_BYTES).optional(),
});
export type Blocker = z.infer<typeof Blocker>;

export const BlockerReport = z.object({
  blockers: z
    .array(Blocker)
    .min(1)
    .max(MAX_BLOCKERS)
    .refine(
      (blockers) => blockers.every((one, i) => i === 0 || compareBlockers(blockers[i - 1] ?? one, one) <= 0),
      'must be sorted by code and pointer',
    ),
});
export type BlockerReport = z.infer<typeof BlockerReport>;

/** By code, then kind of pointer, then what it points at. */
export function compareBlockers(a: Blocker, b: Blocker): number {
  return (
    byCodeUnits(a.code, b.code) ||
    byCodeUnits(a.pointer.kind, b.pointer.kind) ||
    byCodeUnits(target(a.pointer), target(b.pointer))
  );
}

/** The report of some blockers, in its order. */
export const blockerReport = (blockers: readonly Blocker[]): BlockerReport => ({
  blockers: [...blockers].sort(compareBlockers),
});

function target(pointer: BlockerPointer): string {
  switch (pointer.kind) {
    case 'context_key':
      return pointer.key;
    case 'context_budget':
      return '';
    case 'output_contract':
      return pointer.contractRef;
    case 'capability':
      return pointer.capability;
    case 'workflow_step':
      return pointer.stepId;
  }
}
