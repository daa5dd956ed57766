import { describe, expect, it } from '@jest/globals';
import {
  ContractRef,
  DEFAULT_PREFERENCES,
  reasonsToReport,
  reasonToBlocker,
  reasonToGap,
  recommendationWarnings,
  shouldBlock,
  StepId,
  type Autonomy,
  type Blocker,
  type Capability,
  type Preferences,
  type Reason,
  type RiskPolicy,
  type UserOnlyDependency,
} from '../../../src/workrail/model';
import { readCalls, sorted, titleOf, type Call, type Compared } from './vectors';

/** A reason of the reference; each kind has some of these. */
interface Theirs {
  readonly kind: string;
  readonly key: string;
  readonly contractRef: string;
  readonly capability: Capability;
  readonly stepId: string;
  readonly detail: Exclude<UserOnlyDependency, 'needs_user_choice'>;
}

function reasonOf(their: Theirs): Reason {
  const contract = () =>
    ({ kind: 'output_contract', contractRef: ContractRef.parse(their.contractRef) }) as const;
  const step = () => ({ kind: 'workflow_step', stepId: StepId.parse(their.stepId) }) as const;
  switch (their.kind) {
    case 'missing_context_key':
      return { code: 'unexpected:invariant_violation', about: { kind: 'context_key', key: their.key } };
    case 'context_budget_exceeded':
    case 'invariant_violation':
      return { code: 'unexpected:invariant_violation', about: { kind: 'context_budget' } };
    case 'missing_required_output':
    case 'invalid_required_output':
      return { code: `contract_violation:${their.kind}`, about: contract() };
    case 'missing_notes':
      return { code: 'contract_violation:missing_required_output', about: step() };
    case 'required_capability_unknown':
    case 'required_capability_unavailable':
      return {
        code: `capability_missing:${their.kind}`,
        about: { kind: 'capability', capability: their.capability },
      };
    case 'user_only_dependency':
      return { code: `user_only_dependency:${their.detail}`, about: step() };
    case 'storage_corruption_detected':
      // The caller says what it is about; the reference always says this.
      return { code: 'unexpected:storage_corruption_detected', about: { kind: 'context_budget' } };
    default:
      throw new Error(`no reason of ours: ${their.kind}`);
  }
}

/** Codes and pointers are locked, texts are not. */
const locked = ({ code, pointer }: Pick<Blocker, 'code' | 'pointer'>) => ({ code, pointer });
const reasons = (args: readonly unknown[]) => (args[0] as Theirs[]).map(reasonOf);

/** What we do with a call, and what of the answer is locked. The data are cast to what the call takes. */
const ADAPTERS: Readonly<Record<string, (call: Call) => Omit<Compared, 'title'>>> = {
  reasonToGap: ({ args, expected }) => {
    const { severity, reason } = expected as ReturnType<typeof reasonToGap>;
    return {
      ours: () => {
        const gap = reasonToGap(reasonOf(args[0] as Theirs));
        return { severity: gap.severity, reason: gap.reason };
      },
      theirs: { severity, reason },
    };
  },
  reasonToBlocker: ({ args, expected }) => ({
    ours: () => {
      const their = args[0] as Theirs;
      return their.kind === 'assessment_followup_required' ? null : locked(reasonToBlocker(reasonOf(their)));
    },
    theirs: locked((expected as { ok: Blocker }).ok),
  }),
  buildBlockerReport: ({ args, expected }) => ({
    ours: () => reasonsToReport(reasons(args))?.blockers.map(locked),
    theirs: (expected as { ok: { blockers: Blocker[] } }).ok.blockers.map(locked),
  }),
  applyGuardrails: ({ args, expected }) => {
    const [riskPolicy, their] = args as [RiskPolicy, Theirs[]];
    const stops = (one: Theirs) => shouldBlock({ ...DEFAULT_PREFERENCES, riskPolicy }, [reasonOf(one)]);
    return { ours: () => their.filter(stops), theirs: (expected as { blocking: Theirs[] }).blocking };
  },
  shouldBlock: ({ args, expected }) => ({
    ours: () =>
      shouldBlock({ ...DEFAULT_PREFERENCES, autonomy: args[0] as Autonomy }, reasons(args.slice(1))),
    theirs: expected,
  }),
  checkRecommendationExceedance: ({ args, expected }) => {
    const bare = (warnings: readonly { kind: string; effective: string; recommended: string }[]) =>
      warnings.map(({ kind, effective, recommended }) => ({ kind, effective, recommended }));
    return {
      ours: () => bare(recommendationWarnings(args[0] as Preferences, args[1] as object)),
      theirs: bare(expected as { kind: string; effective: string; recommended: string }[]),
    };
  },
};
/** Loop control belongs to the engine and is held against its cases there. */
const ELSEWHERE = 'evaluateLoopControlFromArtifacts';

const calls = readCalls('reasons');
const compared = calls.flatMap((call, i): Compared[] => {
  const adapted = ADAPTERS[call.fn]?.(call);
  return adapted ? [{ title: titleOf(call, i), ...adapted }] : [];
});

const BEYOND = 'a blocker code beyond the closed set of the locks';
const NOTES = 'notes are a required output: the locks have no code or detail of their own for them';
const POLICY = 'a risk policy may not bypass a capability (locks, section 4)';

describe('reasons as the reference maps them', () => {
  const { agreeing, differing, unknown } = sorted(compared, {
    8: NOTES,
    9: BEYOND,
    10: BEYOND,
    17: NOTES,
    25: BEYOND,
    28: BEYOND,
    29: NOTES,
    30: BEYOND,
    31: BEYOND,
    34: POLICY,
    35: POLICY,
  });

  it.each(agreeing)('[reason-code-unified] are mapped alike: %s', (_title, one) => {
    expect(one.ours()).toEqual(one.theirs);
  });

  it.each(differing)('differ in %s: %s', (_title, _reason, one) => {
    expect(one.ours()).not.toEqual(one.theirs);
  });

  it('have every difference in their data, and every case but those of the engine', () => {
    expect(unknown).toEqual([]);
    expect(compared.length).toBe(calls.filter(({ fn }) => fn !== ELSEWHERE).length);
  });
});
