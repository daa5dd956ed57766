/**
 * Why a step may not be left: one closed set for blockers and gaps alike (locks, section 3). The engine returns reasons
 * as data; what they become (a blocker report, gaps) is a table elsewhere.
 */
import { type JsonObject } from '../../canonical';
import {
  type BlockerPointer,
  byCodeUnits,
  type CAPABILITY_GAPS,
  type CONTRACT_VIOLATIONS,
  MAX_BLOCKER_FIX_BYTES,
  MAX_BLOCKER_MESSAGE_BYTES,
  truncateUtf8,
  type UNEXPECTED_GAPS,
  type UserOnlyDependency,
} from '../model';

/** `category:detail`, as the locks write it. */
export type ReasonCode =
  | `user_only_dependency:${UserOnlyDependency}`
  | `contract_violation:${(typeof CONTRACT_VIOLATIONS)[number]}`
  | `capability_missing:${(typeof CAPABILITY_GAPS)[number]}`
  | `unexpected:${(typeof UNEXPECTED_GAPS)[number]}`;

export interface Reason {
  readonly code: ReasonCode;
  readonly pointer: BlockerPointer;
  /** What is wrong, within a blocker's budget. */
  readonly message: string;
  /** What to do about it, within a blocker's budget. */
  readonly fix: string;
  /** Facts for programs: of a loop at its limit its id, iteration and maximum. */
  readonly details?: JsonObject;
}

/** A reason within the budgets of a blocker. Our texts fit; names of an agent's making inside of them may not. */
export function reason(
  code: ReasonCode,
  pointer: BlockerPointer,
  message: string,
  fix: string,
  details?: JsonObject,
): Reason {
  return {
    code,
    pointer,
    message: truncateUtf8(message, MAX_BLOCKER_MESSAGE_BYTES),
    fix: truncateUtf8(fix, MAX_BLOCKER_FIX_BYTES),
    ...(details ? { details } : {}),
  };
}

/** The same order for the same reasons, whoever found them first. */
export const inOrder = (reasons: readonly Reason[]): Reason[] =>
  [...reasons].sort(
    (a, b) =>
      byCodeUnits(a.code, b.code) ||
      byCodeUnits(JSON.stringify(a.pointer), JSON.stringify(b.pointer)) ||
      byCodeUnits(a.message, b.message),
  );
