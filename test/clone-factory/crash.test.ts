/** An extractor whose program crashes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blockOf, type Yard } from '../yard/yard';
import { byStatus, changed, cloneFactory, CloneRun, configured, openAccidentProneYard } from './clone-run';
import { before, BLOCKS, EXTRACTORS, GATES, statesAt } from './document';

const VOICE = 'voice-extractor';
const SIBLINGS = EXTRACTORS.filter((id) => id !== VOICE);

let yard: Yard;
beforeAll(async () => {
  yard = await openAccidentProneYard();
});
afterAll(() => yard.close());

describe('an extractor that crashes', () => {
  it('is tried again, and costs its siblings nothing', async () => {
    const run = await CloneRun.start(yard, configured(cloneFactory(), VOICE, { dies: 'SIGKILL' }));
    await run.approve('expert-framework-creator');
    const waiting = await run.untilGate('gap-analyzer');
    expect(byStatus(waiting)).toEqual(statesAt('gap-analyzer'));
    expect(blockOf(waiting, VOICE)).toMatchObject({ attempt: 2, attempts: 1, failure: null });
    expect(blockOf(waiting, VOICE).history).toMatchObject([
      { attempt: 1, failure: 'error', error: expect.stringContaining('was killed by SIGKILL') },
      { attempt: 2, failure: null },
    ]);
    for (const id of SIBLINGS) expect(blockOf(waiting, id)).toMatchObject({ attempt: 1, attempts: 0 });
    await run.approve('gap-analyzer');
    await run.approve('clone-tester');
    expect(byStatus(await run.ends('completed'))).toEqual({ done: BLOCKS });
  });

  it('with no retry fails the run once its siblings are done; a retry by hand brings it to its end', async () => {
    const fragile = changed(cloneFactory(), VOICE, (block) => ({
      ...block,
      execution: { ...block.execution, max_retries: 0 },
    }));
    const run = await CloneRun.start(yard, configured(fragile, VOICE, { dies: 'SIGSEGV' }));
    await run.approve('expert-framework-creator');
    const failed = await run.ends('failed');
    expect(byStatus(failed)).toEqual({
      done: before('gap-analyzer').filter((id) => id !== VOICE),
      failed: [VOICE],
      blocked: BLOCKS.slice(BLOCKS.indexOf('gap-analyzer')),
    });
    expect(failed.groups.map(({ text }) => text)).toContain('L2-extractors: 4/5 done');
    expect(failed.reason).toContain(`Block "${VOICE}" failed`);
    expect(blockOf(failed, VOICE)).toMatchObject({ attempt: 1, attempts: 0, failure: 'error' });
    expect(blockOf(failed, 'gap-analyzer').waiting_for).toBe(`upstream ${VOICE} failed`);

    expect(await yard.control(run.id, { type: 'retry-block', block: VOICE, by: 'rob' })).toBeNull();
    for (const { block } of GATES.slice(1)) await run.approve(block);
    const ended = await run.ends('completed');
    expect(byStatus(ended)).toEqual({ done: BLOCKS });
    expect(ended.reason).toBeNull();
    expect(blockOf(ended, VOICE).history.map(({ failure }) => failure)).toEqual(['error', null]);
    expect((await run.begun()).filter((name) => SIBLINGS.some((id) => name.startsWith(id)))).toEqual(
      SIBLINGS.map((id) => `${id}.1`).sort(),
    );
  });
});
