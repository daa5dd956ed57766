import { describe, expect, test } from '@jest/globals';
import { block, gate, plan, scored, STARTER, succeeded, threshold, Walker } from './fixtures';

const tester = (thresholds = [threshold()], after = gate({ approvers: ['tech_lead'] })) =>
  new Walker(plan([block('a', { thresholds, after }), block('b', { needs: ['a'] })]));

/** The document's example: 82, 84, 83 against 85 with two retries. */
function missedThrice(thresholds = [threshold()]): Walker {
  const walk = tester(thresholds);
  for (const score of [82, 84, 83]) walk.finish('a', scored(score, `s${score}`));
  return walk;
}

describe('a threshold', () => {
  test('is missed three times with 82, 84 and 83, and then the block has failed', () => {
    const walk = tester();
    expect(walk.finish('a', scored(82))).toMatchObject({ completion: { action: 'retry' } });
    expect(walk.block('a')).toMatchObject({ attempts: 1, attempt: 2 });
    walk.finish('a', scored(84));
    expect(walk.finish('a', scored(83))).toMatchObject({
      completion: { action: 'failed', reason: 'threshold_not_met' },
    });
    expect(walk.block('a')).toMatchObject({
      status: 'failed',
      attempts: 2,
      score: 83,
      failure: 'threshold_not_met',
      error: 'overall_score 83 is below 85 (attempt 3 of 3)',
    });
    expect(walk.block('a').history.map(({ score }) => score)).toEqual([82, 84, 83]);
    expect(walk.statuses).toBe('a:failed b:blocked');
    expect(walk.state.status).toBe('failed');
  });

  test('holds at exactly its minimum, and then the gate opens', () => {
    const walk = tester();
    walk.finish('a', scored(85));
    expect(walk.status('a')).toBe('waiting');
  });

  test('whose metric is missing or no number fails the attempt and names what came', () => {
    const walk = tester();
    walk.finish('a', scored('high'));
    walk.finish('a', scored(null));
    walk.finish('a', succeeded('aa', { other: 99 }));
    expect(walk.block('a')).toMatchObject({ status: 'failed', failure: 'metric_missing', score: null });
    expect(walk.block('a').history.map(({ error }) => error)).toEqual([
      'overall_score is not a number: "high" (attempt 1 of 3)',
      'overall_score is not a number: null (attempt 2 of 3)',
      'overall_score was not reported (attempt 3 of 3)',
    ]);
  });

  test('that only warns lets the block go on, also without its metric', () => {
    const walk = tester([
      threshold({ action: 'warn' }),
      threshold({ metric: 'depth', min: 2, action: 'warn' }),
    ]);
    walk.finish('a', scored(70));
    expect(walk.block('a')).toMatchObject({ status: 'waiting', score: 70 });
    expect(walk.block('a').warnings).toEqual([
      'overall_score 70 is below 85 (attempt 1)',
      'depth was not reported (attempt 1)',
    ]);
  });

  test('is one of several: all are judged, the first gives the score', () => {
    const walk = new Walker(
      plan([
        block('a', { maxRetries: 0, thresholds: [threshold(), threshold({ metric: 'depth', min: 2 })] }),
      ]),
    );
    walk.finish('a', succeeded('aa', { overall_score: 80, depth: 1 }));
    expect(walk.block('a')).toMatchObject({
      score: 80,
      error: 'overall_score 80 is below 85; depth 1 is below 2 (attempt 1 of 1)',
    });
  });
});

describe('an override', () => {
  const override = { override: true, role: 'tech_lead', approver: 'jason', justification: 'Good enough' };

  test('makes the failed block done with its last artifacts, and the failed run goes on', () => {
    const walk = missedThrice();
    expect(walk.decide(override)).toMatchObject({ kind: 'decided', decision: 'approved', via: 'override' });
    expect(walk.statuses).toBe('a:done b:running');
    expect(walk.state).toMatchObject({ status: 'running', endedAt: null, reason: null });
    expect(walk.block('a')).toMatchObject({ score: 83, failure: null, error: null });
    expect(walk.block('a').warnings).toEqual([
      'overall_score 83 is below 85; overridden by jason: Good enough',
    ]);
    expect(walk.lastGate).toMatchObject({
      gate: 'after',
      attempt: 3,
      outcome: { via: 'override', by: 'jason', justification: 'Good enough', evidence: ['a/out=sha256:s83'] },
    });
    expect(walk.state.gates).toHaveLength(1);
    walk.finish('b');
    expect(walk.state.status).toBe('completed');
  });

  test('with the same id again gets the same answer, and another one hears who was first', () => {
    const walk = missedThrice();
    const first = walk.decide({ ...override, id: 'once' });
    expect(walk.decide({ ...override, id: 'once' })).toEqual(first);
    expect(walk.refused({ ...override, approver: 'eve' })).toMatchObject({
      code: 'OVERRIDE_NOT_POSSIBLE',
      details: { outcome: { by: 'jason' } },
    });
  });

  test('waits for nothing while the run is paused, but what follows does', () => {
    const walk = new Walker(
      plan([block('a', { thresholds: [threshold()] }), block('b', { needs: ['a'] }), block('c')]),
    );
    for (const score of [82, 84, 83]) walk.finish('a', scored(score));
    walk.send({ type: 'pause', by: 'p' });
    walk.decide(override);
    expect(walk.statuses).toBe('a:done b:pending c:running');
  });

  test('is refused without a justification', () => {
    expect(missedThrice().refused({ ...override, justification: ' ' }).code).toBe('JUSTIFICATION_REQUIRED');
  });

  test('is refused where a missed threshold allows none, but not for one that held', () => {
    const fixed = threshold({ metric: 'governance', min: 1, overrideAllowed: false });
    const walk = tester([threshold(), fixed]);
    for (const governance of [0, 0, 0]) walk.finish('a', succeeded('aa', { overall_score: 80, governance }));
    expect(walk.refused(override)).toMatchObject({
      code: 'OVERRIDE_NOT_ALLOWED',
      details: { metrics: ['governance'] },
    });
    const held = tester([threshold(), fixed]);
    for (const score of [82, 84, 83])
      held.finish('a', succeeded('aa', { overall_score: score, governance: 1 }));
    expect(held.decide(override).kind).toBe('decided');
  });

  test('follows the rules of the gate after: role, own run, attempt, digests', () => {
    const walk = missedThrice();
    expect(walk.refused({ ...override, role: 'expert' }).code).toBe('GATE_ROLE_REFUSED');
    expect(walk.refused({ ...override, approver: STARTER }).code).toBe('GATE_SELF_APPROVAL');
    expect(walk.refused({ ...override, attempt: 2 }).code).toBe('GATE_ATTEMPT_STALE');
    expect(walk.refused({ ...override, digests: ['sha256:s82'] }).code).toBe('GATE_EVIDENCE_STALE');
    expect(walk.decide({ ...override, attempt: 3, digests: ['sha256:s83'] }).kind).toBe('decided');
  });

  test('is possible only for a missed threshold', () => {
    const walk = tester();
    expect(walk.refused(override).code).toBe('OVERRIDE_NOT_POSSIBLE');
    walk.finish('a', scored(90));
    expect(walk.refused(override)).toMatchObject({
      code: 'OVERRIDE_NOT_POSSIBLE',
      suggestion: 'Its gate is open: decide without "override".',
    });
    const absent = tester();
    for (const score of ['x', 'y', 'z']) absent.finish('a', scored(score));
    expect(absent.refused(override).code).toBe('OVERRIDE_NOT_POSSIBLE');
  });

  test('is what a plain approval of such a block is pointed to', () => {
    expect(missedThrice().refused({ role: 'tech_lead' })).toMatchObject({ code: 'OVERRIDE_NOT_POSSIBLE' });
    expect(missedThrice().refused({ role: 'tech_lead' }).suggestion).toContain('"override": true');
    const fixed = missedThrice([threshold({ overrideAllowed: false })]);
    expect(fixed.refused({ role: 'tech_lead' }).suggestion).toContain('Retry the block');
  });

  test('comes too late in a cancelled run', () => {
    const walk = new Walker(plan([block('a', { maxRetries: 0, thresholds: [threshold()] }), block('b')]));
    walk.finish('a', scored(1));
    walk.send({ type: 'cancel', by: 'p' });
    expect(walk.refused(override).code).toBe('RUN_ENDED');
    walk.finish('b');
    expect(walk.refused(override).code).toBe('RUN_ENDED');
  });
});
