import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AUTONOMIES,
  Blocker,
  BlockerReport,
  ContractRef,
  GapRecorded,
  REASON_CODES,
  reasonsToReport,
  reasonToBlocker,
  reasonToGap,
  RISK_POLICIES,
  shouldBlock,
  StepId,
  type Reason,
  type ReasonCode,
} from '../../../src/workrail/model';

/** The longest that a pointer can be. */
const LONG = 'x'.repeat(128);

function reasonOf(code: ReasonCode, more: Pick<Reason, 'found' | 'fix'> = {}): Reason {
  const step = { kind: 'workflow_step', stepId: StepId.parse(LONG) } as const;
  switch (code) {
    case 'contract_violation:missing_required_output':
    case 'contract_violation:invalid_required_output':
      return { code, about: { kind: 'output_contract', contractRef: ContractRef.parse(LONG) }, ...more };
    case 'capability_missing:required_capability_unavailable':
    case 'capability_missing:required_capability_unknown':
      return { code, about: { kind: 'capability', capability: 'delegation' }, ...more };
    case 'user_only_dependency:needs_user_choice':
      return { code, about: step, choice: 'policy_or_compliance', ...more };
    default:
      return { code, about: step, ...more };
  }
}
const reasons = fc
  .array(
    fc.tuple(
      fc.constantFrom(...REASON_CODES),
      fc.option(fc.string({ unit: 'binary', maxLength: 2000 }), { nil: undefined }),
    ),
    { minLength: 1, maxLength: 15 },
  )
  .map((all) =>
    all.map(([code, found]) => reasonOf(code, found === undefined ? {} : { found, fix: `${found}.` })),
  );

describe('a reason', () => {
  it.each(REASON_CODES)(
    '[reason-code-unified] %s is one gap, critical, with the category and detail of its code',
    (code) => {
      const { severity, reason } = reasonToGap(reasonOf(code));
      expect([severity, `${reason.category}:${reason.detail}`]).toEqual(['critical', code]);
    },
  );

  it.each([
    ['user_only_dependency:needs_user_approval', 'USER_ONLY_DEPENDENCY'],
    ['user_only_dependency:needs_user_choice', 'USER_ONLY_DEPENDENCY'],
    ['contract_violation:missing_required_output', 'MISSING_REQUIRED_OUTPUT'],
    ['contract_violation:invalid_required_output', 'INVALID_REQUIRED_OUTPUT'],
    ['capability_missing:required_capability_unknown', 'REQUIRED_CAPABILITY_UNKNOWN'],
    ['capability_missing:required_capability_unavailable', 'REQUIRED_CAPABILITY_UNAVAILABLE'],
    ['unexpected:invariant_violation', 'INVARIANT_VIOLATION'],
    ['unexpected:storage_corruption_detected', 'STORAGE_CORRUPTION_DETECTED'],
  ] as const)('[reason-code-unified] %s is the blocker %s', (code, blocker) => {
    expect(reasonToBlocker(reasonOf(code)).code).toBe(blocker);
  });

  it('is within the budgets of gaps and blockers, whatever was found', () => {
    fc.assert(
      fc.property(reasons, (all) => {
        for (const reason of all) {
          Blocker.parse(reasonToBlocker(reason));
          GapRecorded.parse({ gapId: 'g', ...reasonToGap(reason), resolution: { kind: 'unresolved' } });
        }
        expect(BlockerReport.safeParse(reasonsToReport(all)).success).toBe(true);
      }),
    );
  });

  it('is counted where a report has no room for it', () => {
    const report = reasonsToReport(
      Array.from({ length: 12 }, () => reasonOf('unexpected:invariant_violation')),
    );
    expect(report?.blockers).toHaveLength(10);
    expect(report?.blockers.at(-1)?.message).toContain('And 2 more');
  });

  it('stops an attempt in every autonomy but the one that never stops', () => {
    const all = [reasonOf('user_only_dependency:needs_user_approval')];
    expect(AUTONOMIES.map((autonomy) => shouldBlock({ autonomy, riskPolicy: 'conservative' }, all))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('stops nobody where there is none', () => {
    expect(shouldBlock({ autonomy: 'guided', riskPolicy: 'conservative' }, [])).toBe(false);
  });

  it.each(REASON_CODES)(
    '[risk-policy-guardrails] %s stops under every risk policy alike, and is disclosed alike',
    (code) => {
      expect(
        RISK_POLICIES.map((riskPolicy) => shouldBlock({ autonomy: 'guided', riskPolicy }, [reasonOf(code)])),
      ).toEqual([...[true, true, true]]);
    },
  );
});
