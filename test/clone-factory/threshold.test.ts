/** The threshold of the clone tester: the scenario of section 8, with the scores of the document. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunView } from '../../api/run-view';
import { type Template } from '../../src/factory/schema';
import { blockOf, type Yard } from '../yard/yard';
import { byStatus, changed, cloneFactory, CloneRun, configured, openAccidentProneYard } from './clone-run';
import { BLOCKS, statesAt, statesFailed, THRESHOLD } from './document';

const TESTER = 'clone-tester';
const DOWNSTREAM = ['clone-packager', 'factory-reporter'];
const JUSTIFIED = { role: 'tech_lead', override: true, justification: 'Alpha quality is acceptable at 83.' };

let yard: Yard;
beforeAll(async () => {
  yard = await openAccidentProneYard();
});
afterAll(() => yard.close());

/** Starts a run in which the tester reports these scores first, and brings it to the tester. */
async function startScored(
  scores: readonly number[],
  template: Template = cloneFactory(),
): Promise<CloneRun> {
  const run = await CloneRun.start(yard, configured(template, TESTER, { scores: [...scores] }));
  await run.approve('expert-framework-creator');
  await run.approve('gap-analyzer');
  return run;
}

const rows = (view: RunView) =>
  blockOf(view, TESTER).history.map(({ attempt, score, failure }) => [attempt, score, failure]);

describe('a score below 85', () => {
  it('twice, and then above, uses both retries and goes on to the gate', async () => {
    const run = await startScored(THRESHOLD.missed.slice(0, 2));
    const waiting = await run.untilGate(TESTER, 3);
    expect(byStatus(waiting)).toEqual(statesAt(TESTER));
    expect(rows(waiting)).toEqual([
      [1, 82, 'threshold_not_met'],
      [2, 84, 'threshold_not_met'],
    ]);
    expect(blockOf(waiting, TESTER)).toMatchObject({ attempt: 3, attempts: THRESHOLD.retries });
    expect(blockOf(waiting, TESTER).score).toBeGreaterThanOrEqual(THRESHOLD.min);
    // Each attempt hears of the one before it; the tester sets the old score beside the new one.
    expect((await run.request(TESTER, 2)).previous).toMatchObject({ attempt: 1, score: 82 });
    expect((await run.request(TESTER, 3)).previous).toMatchObject({ attempt: 2, score: 84 });
    expect(await run.json(TESTER, 'test-results')).toMatchObject({ previous_score: 84 });
    await run.approve(TESTER, 3);
    expect(byStatus(await run.ends('completed'))).toEqual({ done: BLOCKS });
  });

  it('three times fails the block and starts nothing downstream, until a tech lead overrides it', async () => {
    const run = await startScored(THRESHOLD.missed);
    const failed = await run.ends('failed');
    expect(byStatus(failed)).toEqual(statesFailed(TESTER));
    expect(rows(failed)).toEqual(THRESHOLD.missed.map((score, at) => [at + 1, score, 'threshold_not_met']));
    expect(blockOf(failed, TESTER)).toMatchObject({ attempt: 3, attempts: THRESHOLD.retries, score: 83 });
    expect(failed.reason).toContain('overall_score 83 is below 85');
    expect(blockOf(failed, 'factory-reporter').waiting_for).toBe('upstream clone-tester failed');
    expect((await run.begun()).filter((name) => DOWNSTREAM.some((id) => name.startsWith(id)))).toEqual([]);
    expect(failed.gates.map(({ block }) => block)).not.toContain(TESTER);

    const decide = (said: object): Promise<string> => yard.decide(run.id, TESTER, said);
    expect(await decide({ role: 'tech_lead' })).toBe('OVERRIDE_NOT_POSSIBLE');
    expect(await decide({ ...JUSTIFIED, justification: '' })).toBe('JUSTIFICATION_REQUIRED');
    expect(await decide({ ...JUSTIFIED, role: 'editor' })).toBe('GATE_ROLE_REFUSED');
    expect(await decide({ ...JUSTIFIED, approver: 'sam' })).toBe('GATE_SELF_APPROVAL');
    expect(await decide(JUSTIFIED)).toBe('decided');

    const ended = await run.ends('completed');
    expect(byStatus(ended)).toEqual({ done: BLOCKS });
    expect(ended.gates.at(-1)).toMatchObject({
      block: TESTER,
      outcome: {
        decision: 'approved',
        via: 'override',
        role: 'tech_lead',
        justification: JUSTIFIED.justification,
      },
    });
    expect(blockOf(ended, TESTER)).toMatchObject({ attempt: 3, score: 83, failure: null });
    expect(blockOf(ended, TESTER).warnings.join()).toContain('overridden by ann');
  });

  it('stays a failure where no override is allowed; a retry of the block is the way on', async () => {
    const strict = cloneFactory();
    const template: Template = {
      ...strict,
      thresholds: (strict.thresholds ?? []).map((one) => ({ ...one, override_allowed: false })),
    };
    const once = changed(template, TESTER, (block) => ({
      ...block,
      execution: { ...block.execution, max_retries: 0 },
    }));
    const run = await startScored([83], once);
    expect(byStatus(await run.ends('failed'))).toEqual(statesFailed(TESTER));
    expect(await yard.decide(run.id, TESTER, JUSTIFIED)).toBe('OVERRIDE_NOT_ALLOWED');
    expect(byStatus(await yard.view(run.id))).toEqual(statesFailed(TESTER));

    expect(await yard.control(run.id, { type: 'retry-block', block: TESTER, by: 'rob' })).toBeNull();
    await run.approve(TESTER, 2);
    const ended = await run.ends('completed');
    expect(rows(ended)).toEqual([
      [1, 83, 'threshold_not_met'],
      [2, blockOf(ended, TESTER).score, null],
    ]);
  });
});
