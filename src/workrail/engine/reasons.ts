/**
 * Why a step may not be left: one closed set for blockers and gaps alike (locks, section 3). The engine returns reasons
 * as data; what they become (a blocker report, gaps) is one table elsewhere.
 */
import { type JsonObject } from '../../canonical';
import {
  type BlockerPointer,
  byCodeUnits,
  type CAPABILITY_GAPS,
  type CONTRACT_VIOLATIONS,
  MAX_BLOCKER_FIX_BYTES,
  MAX_BLOCKER_MESSAGE_BYTES,
  type NonAssumableChoice,
  truncateUtf8,
  type UNEXPECTED_GAPS,
  type UserOnlyDependency,
} from '../model';

type About<K extends BlockerPointer['kind']> = Extract<BlockerPointer, { kind: K }>;

/** `category:detail`, as the locks write it, and what it is about. */
type Head =
  | {
      readonly code: `user_only_dependency:${Exclude<UserOnlyDependency, 'needs_user_choice'>}`;
      readonly about: About<'workflow_step'>;
    }
  | {
      readonly code: 'user_only_dependency:needs_user_choice';
      readonly about: About<'workflow_step'>;
      /** A choice is asked for only where the workflow says that nobody may assume it. */
      readonly choice: NonAssumableChoice;
    }
  | {
      readonly code: `contract_violation:${(typeof CONTRACT_VIOLATIONS)[number]}`;
      /** The contract; the step where its notes are meant. */
      readonly about: About<'output_contract' | 'workflow_step'>;
    }
  | {
      readonly code: `capability_missing:${(typeof CAPABILITY_GAPS)[number]}`;
      readonly about: About<'capability'>;
    }
  | {
      readonly code: `unexpected:${(typeof UNEXPECTED_GAPS)[number]}`;
      readonly about: About<'workflow_step'>;
    };

export type ReasonCode = Head['code'];

export type Reason = Head & {
  /** What exactly was found, in a sentence, within a blocker's budget. */
  readonly found: string;
  /** What to do about it, within a blocker's budget. */
  readonly fix: string;
  /** Facts for programs: of a loop at its limit its id, iteration and maximum. */
  readonly details?: JsonObject;
};

/** A reason within the budgets of a blocker. Our texts fit; what they quote of an agent's making may not. */
export function reason(head: Head, found: string, fix: string, details?: JsonObject): Reason {
  return {
    ...head,
    found: truncateUtf8(found, MAX_BLOCKER_MESSAGE_BYTES),
    fix: truncateUtf8(fix, MAX_BLOCKER_FIX_BYTES),
    ...(details ? { details } : {}),
  };
}

/** The same order for the same reasons, whoever found them first. */
export const inOrder = (reasons: readonly Reason[]): Reason[] =>
  [...reasons].sort(
    (a, b) =>
      byCodeUnits(a.code, b.code) ||
      byCodeUnits(JSON.stringify(a.about), JSON.stringify(b.about)) ||
      byCodeUnits(a.found, b.found),
  );
