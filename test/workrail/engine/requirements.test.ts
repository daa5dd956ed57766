import { describe, expect, it } from '@jest/globals';
import { advance, type Acknowledgement, type CapabilityFinding } from '../../../src/workrail/engine';
import { Blocker, RISK_POLICIES } from '../../../src/workrail/model';
import { compiled, step, workflow, type Json } from '../compiler/workflows';
import { ack, begun, GUIDED, held, moved, NEVER_STOPS, STOPS, waiting, withArtifacts } from './runs';

const one = (more: Json = {}, head: Json = {}) =>
  compiled(workflow([step('a', more), step('z')], head)).compiled;
const noted = (notesMarkdown: string, more: Partial<Acknowledgement> = {}) =>
  ack({ output: { notesMarkdown, artifacts: [] }, ...more });

describe('the notes of a step', () => {
  it.each(['', '  \n'])('are needed: %j is none', (text) => {
    const { reasons } = held(one(), begun(one()), noted(text));
    expect(reasons).toMatchObject([
      { code: 'contract_violation:missing_required_output', about: { kind: 'workflow_step', stepId: 'a' } },
    ]);
  });

  it.each([
    [{ type: 'contains', value: 'Finding' }, 'A finding', 'Finding 1'],
    [{ type: 'regex', pattern: '^finding \\d+:', flags: 'im' }, 'Finding one:', 'So:\nFinding 1: x'],
    [{ type: 'length', min: 5 }, 'ab   ', 'abcde'],
    [{ type: 'length', max: 3 }, 'abcd', '💡💡💡'],
    [{ and: [{ type: 'contains', value: 'a' }, { and: [{ type: 'contains', value: 'b' }] }] }, 'a', 'ba'],
  ])('must show what %j asks', (validationCriteria, bad, good) => {
    const checked = one({ validationCriteria });
    expect(held(checked, begun(checked), noted(bad)).reasons).toMatchObject([
      { code: 'contract_violation:invalid_required_output', about: { kind: 'workflow_step', stepId: 'a' } },
    ]);
    expect(waiting(moved(checked, begun(checked), noted(good)).snapshot)).toBe('z');
  });

  it('are checked in time linear in their length, whatever the pattern', () => {
    const checked = one({ validationCriteria: { type: 'regex', pattern: '^(a+)+$' } });
    expect(held(checked, begun(checked), noted(`${'a'.repeat(100_000)}!`)).kind).toBe('blocked');
  });

  it('are not what counts where a contract asks for an artifact', () => {
    const both = one({
      outputContract: { contractRef: 'wr.contracts.workflow_divergence' },
      validationCriteria: { type: 'contains', value: 'never written' },
    });
    const artifact = { kind: 'wr.workflow_divergence', reason: 'safety_stop', summary: 'Stopped.' };
    const { divergences, snapshot } = moved(both, begun(both), withArtifacts(artifact));
    expect(waiting(snapshot)).toBe('z');
    expect(divergences).toEqual([{ reason: 'safety_stop', summary: 'Stopped.' }]);
  });
});

describe('a reason', () => {
  it('fits into a blocker, however long what it quotes is [blocker-budget]', () => {
    const kind = 'x'.repeat(5000);
    const contracted = one({ outputContract: { contractRef: 'wr.contracts.workflow_divergence' } });
    const [reason] = held(contracted, begun(contracted), withArtifacts({ kind })).reasons;
    const blocker = {
      code: 'MISSING_REQUIRED_OUTPUT',
      pointer: reason?.about,
      message: reason?.found,
      suggestedFix: reason?.fix,
    };
    expect(Blocker.safeParse(blocker).success).toBe(true);
  });
});

describe('a step that asks a person', () => {
  const confirms = one({ requireConfirmation: true });
  const chooses = one({ nonAssumableChoice: 'irreversible_action' });

  it.each([
    ['guided', GUIDED],
    ['stopping on user dependencies', STOPS],
  ])('is held without an answer when %s', (_, preferences) => {
    const given = ack({ preferences });
    expect(held(confirms, begun(confirms), given).reasons.map(({ code }) => code)).toEqual([
      'user_only_dependency:needs_user_approval',
    ]);
    expect(held(chooses, begun(chooses), given).reasons.map(({ code }) => code)).toEqual([
      'user_only_dependency:needs_user_choice',
    ]);
  });

  it.each(['person', 'agent_claim'] as const)(
    'goes on with the answer of: %s, and says whose word it was',
    (answer) => {
      expect(moved(confirms, begun(confirms), ack({ answer })).answeredBy).toBe(answer);
    },
  );

  it('goes on in never-stop, and discloses that nobody answered', () => {
    const { gaps, answeredBy } = moved(confirms, begun(confirms), ack({ preferences: NEVER_STOPS }));
    expect([gaps.map(({ code }) => code), answeredBy]).toEqual([
      ['user_only_dependency:needs_user_approval'],
      'none',
    ]);
  });

  it('is not asked for a choice unless the workflow marks one', () => {
    expect(moved(one(), begun(one()), ack()).gaps).toEqual([]);
  });
});

describe("a person's step", () => {
  const gate = one({ performedBy: 'person' });

  it.each([GUIDED, STOPS, NEVER_STOPS])('is never passed by an agent: %j', (preferences) => {
    const result = advance(gate, begun(gate), ack({ preferences, answer: 'agent_claim' }));
    expect(result._unsafeUnwrapErr().code).toBe('STEP_NEEDS_PERSON');
  });

  it('is passed by a person, without notes', () => {
    expect(waiting(moved(gate, begun(gate), noted('', { by: 'person' })).snapshot)).toBe('z');
  });

  it('is passed by the never-stop policy with an open gap, and by no other policy', () => {
    const given = noted('', { by: 'policy', preferences: NEVER_STOPS });
    expect(moved(gate, begun(gate), given).gaps.map(({ code }) => code)).toEqual([
      'user_only_dependency:needs_user_approval',
    ]);
    for (const preferences of [GUIDED, STOPS]) {
      const result = advance(gate, begun(gate), { ...given, preferences });
      expect(result._unsafeUnwrapErr().code).toBe('STEP_NEEDS_PERSON');
    }
  });

  it('is the only one the policy passes', () => {
    const given = ack({ by: 'policy', preferences: NEVER_STOPS });
    expect(advance(one(), begun(one()), given)._unsafeUnwrapErr().code).toBe('STEP_NEEDS_PERSON');
  });
});

describe('a required capability', () => {
  const needy = one({}, { capabilities: { delegation: 'required' } });
  const observed = (status: 'available' | 'unavailable') =>
    withArtifacts({
      kind: 'wr.capability_observation',
      capability: 'delegation',
      status,
      evidence: 'Tried it.',
    });
  const claim: CapabilityFinding = {
    capability: 'delegation',
    status: 'available',
    provenance: {
      kind: 'manual_claim',
      enforcementGrade: 'weak',
      detail: { claimedBy: 'agent', claim: 'available' },
    },
  };

  it('that the probe finds is known from then on, with strong provenance', () => {
    const probed = moved(needy, begun(needy), observed('available'));
    expect(probed.findings).toMatchObject([
      {
        capability: 'delegation',
        status: 'available',
        provenance: { kind: 'probe_step', enforcementGrade: 'strong', detail: { result: 'success' } },
      },
    ]);
    const next = moved(needy, probed.snapshot, ack({ observations: probed.findings }));
    expect(waiting(next.snapshot)).toBe('z');
  });

  it('that the probe does not find holds the run, and is recorded all the same', () => {
    const { reasons, findings } = held(needy, begun(needy), observed('unavailable'));
    expect(reasons.map(({ code }) => code)).toEqual(['capability_missing:required_capability_unavailable']);
    expect(findings).toMatchObject([{ status: 'unavailable' }]);
  });

  it('is not unlocked by what an agent claims', () => {
    const probed = moved(needy, begun(needy), observed('available')).snapshot;
    const { reasons } = held(needy, probed, ack({ observations: [claim] }));
    expect(reasons.map(({ code }) => code)).toEqual(['capability_missing:required_capability_unknown']);
  });

  it('is not shown by an observation of another capability', () => {
    const other = withArtifacts({
      kind: 'wr.capability_observation',
      capability: 'web_browsing',
      status: 'available',
      evidence: 'x',
    });
    expect(held(needy, begun(needy), other).reasons.map(({ code }) => code)).toContain(
      'capability_missing:required_capability_unknown',
    );
  });

  it('that is missing is disclosed once in never-stop, at the probe', () => {
    const probed = moved(needy, begun(needy), { ...observed('unavailable'), preferences: NEVER_STOPS });
    expect(probed.gaps.map(({ code }) => code)).toEqual([
      'capability_missing:required_capability_unavailable',
    ]);
    const next = moved(
      needy,
      probed.snapshot,
      ack({ preferences: NEVER_STOPS, observations: probed.findings }),
    );
    expect(next.gaps).toEqual([]);
  });

  it('is held up for under every risk policy alike [risk-policy-guardrails]', () => {
    const outcomes = RISK_POLICIES.map((riskPolicy) =>
      advance(needy, begun(needy), ack({ preferences: { autonomy: 'guided', riskPolicy } }))._unsafeUnwrap(),
    );
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(outcomes[0]?.kind).toBe('blocked');
  });
});
