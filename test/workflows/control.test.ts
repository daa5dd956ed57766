import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive, until } from '../cli/railyard';
import { skillPid } from '../yard/skill-process';
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

const write = (path: string): Promise<void> => writeFile(path, '');

describe('pause', () => {
  it('lets running blocks end, shows pausing until they have, and starts nothing until it is resumed', async () => {
    const go = yard.home.path('go-pause');
    const run = await yard.start(
      factory([scripted('a', { script: [{ until: go }] }), scripted('b', { needs: ['a'] })]),
    );
    await yard.untilBlock(run, 'a', 'running');
    await yard.control(run, { type: 'pause', by: 'rob' });
    expect(await yard.view(run)).toMatchObject({ status: 'pausing', reason: 'Paused by rob' });
    await write(go);
    const paused = await yard.untilStatus(run, 'paused');
    expect(paused.blocks.map(({ status }) => status)).toEqual(['done', 'pending']);
    expect(blockOf(paused, 'b').waiting_for).toBe('the run is paused');
    await yard.control(run, { type: 'resume', by: 'rob' });
    await yard.untilStatus(run, 'completed');
  });

  it('lets gates be decided', async () => {
    const run = await yard.start(
      factory([scripted('a'), scripted('b', { needs: ['a'] })], { human_gates: [gateAfter('a')] }),
    );
    await yard.untilBlock(run, 'a', 'waiting');
    await yard.control(run, { type: 'pause', by: 'rob' });
    expect(await yard.decide(run, 'a')).toBe('decided');
    expect((await yard.untilStatus(run, 'paused')).blocks.map(({ status }) => status)).toEqual([
      'done',
      'pending',
    ]);
    await yard.control(run, { type: 'resume', by: 'rob' });
    await yard.untilStatus(run, 'completed');
  });
});

describe('cancel', () => {
  it('ends running child processes, closes open gates, and leaves nothing to wait for', async () => {
    const run = await yard.start(
      factory([scripted('a', { script: [{ hang: true }] }), scripted('b'), scripted('c', { needs: ['a'] })], {
        human_gates: [gateBefore('b')],
      }),
    );
    await yard.untilBlock(run, 'a', 'running');
    await yard.untilBlock(run, 'b', 'waiting');
    const pid = await skillPid(yard.home.root, run, 'a');
    await yard.control(run, { type: 'cancel', by: 'carl', reason: 'wrong expert' });
    const cancelled = await yard.untilStatus(run, 'cancelled');
    expect(cancelled.reason).toBe('Cancelled by carl: wrong expert');
    expect(cancelled.blocks.map(({ status, failure }) => [status, failure])).toEqual([
      ['failed', 'cancelled'],
      ['failed', 'cancelled'],
      ['blocked', null],
    ]);
    expect(isAlive(pid)).toBe(false);
    expect(await yard.decide(run, 'b')).toBe('RUN_ENDED');
  });

  it('from Temporal itself does the same', async () => {
    const run = await yard.start(factory([scripted('a', { script: [{ hang: true }] })]));
    await yard.untilBlock(run, 'a', 'running');
    const handle = yard.client.workflow.getHandle(run);
    await handle.cancel();
    expect((await yard.untilStatus(run, 'cancelled')).reason).toBe('Cancelled by temporal');
    await until(async () => (await handle.describe()).status.name === 'CANCELLED');
  });
});

describe('the retry of a failed block', () => {
  it('runs while a sibling waits at its gate', async () => {
    const run = await yard.start(
      factory(
        [scripted('bad', { script: [{ fail: 'x' }, {}], execution: { max_retries: 0 } }), scripted('gated')],
        { human_gates: [gateAfter('gated')] },
      ),
    );
    await yard.untilBlock(run, 'bad', 'failed');
    await yard.untilBlock(run, 'gated', 'waiting');
    expect(await yard.control(run, { type: 'retry-block', block: 'gated', by: 'rob' })).toMatchObject({
      code: 'BLOCK_NOT_FAILED',
    });
    expect(await yard.control(run, { type: 'retry-block', block: 'bad', by: 'rob' })).toBeNull();
    await yard.untilBlock(run, 'bad', 'done');
    expect(blockOf(await yard.view(run), 'gated').status).toBe('waiting');
    expect(await yard.decide(run, 'gated')).toBe('decided');
    await yard.untilStatus(run, 'completed');
  });
});

describe('a worker that is stopped in the middle of a skill', () => {
  it('hands the attempt back; the next worker executes it again, and no retry is used up', async () => {
    const go = yard.home.path('go-worker');
    const run = await yard.start(factory([scripted('a', { script: [{ until: go }] })]));
    await yard.untilBlock(run, 'a', 'running');
    await until(async () => (await skillPid(yard.home.root, run, 'a').catch(() => 0)) > 0);
    const pid = await skillPid(yard.home.root, run, 'a');
    await yard.stopWorker();
    expect(isAlive(pid)).toBe(false);
    await yard.startWorker();
    await write(go);
    const done = await yard.untilStatus(run, 'completed');
    expect(blockOf(done, 'a')).toMatchObject({ attempt: 1, attempts: 0, history: [{ failure: null }] });
  });
});
