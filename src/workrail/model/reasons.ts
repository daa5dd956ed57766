/**
 * The one reason model behind blockers and gaps (locks, section 3): a closed set of codes and one table. Whether a run stops
 * or goes on changes what happens next, never what a reason means: every reason is disclosed as a gap, and where the
 * autonomy stops it is a blocker besides.
 */
import { blockerReport, type Blocker, type BlockerPointer, type BlockerReport } from './blockers';
import { MAX_BLOCKER_FIX_BYTES, MAX_BLOCKER_MESSAGE_BYTES, MAX_BLOCKERS, MAX_SUMMARY_BYTES } from './budgets';
import {
  CAPABILITY_GAPS,
  CONTRACT_VIOLATIONS,
  UNEXPECTED_GAPS,
  USER_ONLY_DEPENDENCIES,
  type BlockerCode,
  type NonAssumableChoice,
  type UserOnlyDependency,
} from './closed-sets';
import { type GapReason, type GapRecorded } from './gaps';
import { type Preferences } from './preferences';
import { truncateUtf8 } from './text';

type CodeOf<R> = R extends { category: infer C extends string; detail: infer D extends string }
  ? `${C}:${D}`
  : never;

/** Why something is missing: a gap's category and detail, closed. */
export type ReasonCode = CodeOf<GapReason>;

/** Every code, in the order of the locks. */
export const REASON_CODES: readonly ReasonCode[] = [
  ...USER_ONLY_DEPENDENCIES.map((detail) => `user_only_dependency:${detail}` as const),
  ...CONTRACT_VIOLATIONS.map((detail) => `contract_violation:${detail}` as const),
  ...CAPABILITY_GAPS.map((detail) => `capability_missing:${detail}` as const),
  ...UNEXPECTED_GAPS.map((detail) => `unexpected:${detail}` as const),
];

type Pointer<K extends BlockerPointer['kind']> = Extract<BlockerPointer, { kind: K }>;
type AssumableDependency = Exclude<UserOnlyDependency, 'needs_user_choice'>;

/** A code, what it is about, and what only its place knows. */
export type Reason = {
  /** What exactly was found, for people; cut to fit, and then says so. */
  readonly found?: string;
  /** What to do about it, where the place knows better than the table. */
  readonly fix?: string;
} & (
  | { readonly code: `user_only_dependency:${AssumableDependency}`; readonly about: Pointer<'workflow_step'> }
  | {
      readonly code: 'user_only_dependency:needs_user_choice';
      readonly about: Pointer<'workflow_step'>;
      /** Only a choice that the workflow marks as one nobody may assume is a reason to ask. */
      readonly choice: NonAssumableChoice;
    }
  | {
      readonly code: CodeOf<Extract<GapReason, { category: 'contract_violation' }>>;
      /** The contract; the step where no contract but its notes are meant. */
      readonly about: Pointer<'output_contract' | 'workflow_step'>;
    }
  | {
      readonly code: CodeOf<Extract<GapReason, { category: 'capability_missing' }>>;
      readonly about: Pointer<'capability'>;
    }
  | {
      readonly code: CodeOf<Extract<GapReason, { category: 'unexpected' }>>;
      readonly about: BlockerPointer;
    }
);

interface Meaning {
  readonly blocker: BlockerCode;
  readonly says: string;
  readonly fix: string;
}

const person = (says: string, fix: string): Meaning => ({ blocker: 'USER_ONLY_DEPENDENCY', says, fix });

/** What each code means, wherever it shows. */
const TABLE: Readonly<Record<ReasonCode, Meaning>> = {
  'user_only_dependency:needs_user_secret_or_token': person(
    'A secret or token is needed that only a person can give',
    'Ask the person to provide it where the step can read it, then go on. Never put it into notes or context.',
  ),
  'user_only_dependency:needs_user_account_access': person(
    'Access to an account is needed that only a person has',
    'Ask the person to grant the access or to do this part, then go on.',
  ),
  'user_only_dependency:needs_user_artifact': person(
    'A file or document is needed that only a person has',
    'Ask the person for it and say where it should be, then go on.',
  ),
  'user_only_dependency:needs_user_choice': person(
    'A choice is needed that nobody may assume',
    'Put the options to the person, record the choice in the notes, then go on.',
  ),
  'user_only_dependency:needs_user_approval': person(
    "A person's approval is needed",
    'Show the person what is to be approved and wait for the answer.',
  ),
  'user_only_dependency:needs_user_environment_action': person(
    'Something must be done in the environment that only a person can do',
    'Tell the person what to do there, then go on when it is done.',
  ),
  'contract_violation:missing_required_output': {
    blocker: 'MISSING_REQUIRED_OUTPUT',
    says: 'A required output is missing',
    fix: 'Do the work, then call again with the output that the step requires.',
  },
  'contract_violation:invalid_required_output': {
    blocker: 'INVALID_REQUIRED_OUTPUT',
    says: 'A required output is not as required',
    fix: 'Correct the output and call again with the token for another attempt; the same attempt has the same outcome.',
  },
  'capability_missing:required_capability_unknown': {
    blocker: 'REQUIRED_CAPABILITY_UNKNOWN',
    says: 'Nobody knows yet whether a required capability is there',
    fix: 'Run the step that probes it; a claim alone does not count.',
  },
  'capability_missing:required_capability_unavailable': {
    blocker: 'REQUIRED_CAPABILITY_UNAVAILABLE',
    says: 'A required capability is not there',
    fix: 'Make it available and probe it again, or run a workflow that does without it.',
  },
  'unexpected:invariant_violation': {
    blocker: 'INVARIANT_VIOLATION',
    says: 'Something happened that must not',
    fix: 'Correct what is named here; if nothing is wrong with it, report this as a bug.',
  },
  'unexpected:storage_corruption_detected': {
    blocker: 'STORAGE_CORRUPTION_DETECTED',
    says: 'What is stored does not agree with itself',
    fix: 'Stop here. Look at the session with `railyard verify` before anything else is done with it.',
  },
};

/** A reason as it is disclosed: always critical, since something the workflow requires is not there. */
export function reasonToGap(reason: Reason): Pick<GapRecorded, 'severity' | 'reason' | 'summary'> {
  const cut = reason.code.indexOf(':');
  return {
    severity: 'critical',
    // A code is a category and one of its details by its type; splitting it gives both back.
    reason: { category: reason.code.slice(0, cut), detail: reason.code.slice(cut + 1) } as GapReason,
    summary: truncateUtf8(sentence(reason), MAX_SUMMARY_BYTES),
  };
}

/** A reason as it is returned where it stops. */
export function reasonToBlocker(reason: Reason): Blocker {
  const { blocker, fix } = TABLE[reason.code];
  return {
    code: blocker,
    pointer: reason.about,
    message: truncateUtf8(sentence(reason), MAX_BLOCKER_MESSAGE_BYTES),
    suggestedFix: truncateUtf8(reason.fix ?? fix, MAX_BLOCKER_FIX_BYTES),
  };
}

/**
 * The report of reasons, in its order; null: there is none. More than a report holds are counted in the last message, and
 * each is a gap all the same.
 */
export function reasonsToReport(reasons: readonly Reason[]): BlockerReport | null {
  if (reasons.length === 0) return null;
  const { blockers } = blockerReport(reasons.map(reasonToBlocker));
  const more = blockers.length - MAX_BLOCKERS;
  if (more <= 0) return { blockers };
  const tail = ` (And ${more} more, recorded as gaps.)`;
  const shown = blockers.slice(0, MAX_BLOCKERS);
  return {
    blockers: shown.map((one, i) =>
      i < MAX_BLOCKERS - 1
        ? one
        : { ...one, message: truncateUtf8(one.message, MAX_BLOCKER_MESSAGE_BYTES - tail.length) + tail },
    ),
  };
}

/**
 * Whether an attempt stops for these reasons: all autonomies stop but the one that never does. The risk policy has no say:
 * it chooses between correct paths and bypasses no contract, capability or person (locks, section 4).
 */
export function shouldBlock({ autonomy }: Preferences, reasons: readonly Reason[]): boolean {
  return reasons.length > 0 && autonomy !== 'full_auto_never_stop';
}

function sentence(reason: Reason): string {
  const choice = reason.code === 'user_only_dependency:needs_user_choice' ? ` [${reason.choice}]` : '';
  const found = reason.found === undefined ? '' : ` ${reason.found}`;
  return `${TABLE[reason.code].says} (${pointed(reason.about)})${choice}.${found}`;
}

function pointed(pointer: BlockerPointer): string {
  switch (pointer.kind) {
    case 'context_key':
      return `context key ${pointer.key}`;
    case 'context_budget':
      return 'the context as a whole';
    case 'output_contract':
      return `contract ${pointer.contractRef}`;
    case 'capability':
      return `capability ${pointer.capability}`;
    case 'workflow_step':
      return `step ${pointer.stepId}`;
  }
}
