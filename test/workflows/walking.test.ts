import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Template } from '../../src/factory/schema';
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

const score = (...scores: number[]) => scores.map((one) => ({ metrics: { score: one } }));

describe('a run', () => {
  it('walks the blocks to their end and leaves files, with their digests in the status', async () => {
    const text = await readFile(join(__dirname, '..', '..', 'factories', 'walking.json'), 'utf8');
    const template = JSON.parse(text) as Template;
    const started = await yard.runs.start({
      template,
      parameters: { topic: 'railways' },
      startedBy: 'sam',
      run: null,
    });
    const { run } = started._unsafeUnwrap();
    const waiting = await yard.until(
      run,
      ({ blocks, counts }) => counts.done === 2 && blocks[2]?.status === 'waiting',
    );
    expect(waiting.groups).toMatchObject([{ name: 'finish', text: 'finish: 1/2 done' }]);
    expect(await yard.decide(run, 'page')).toBe('decided');
    const done = await yard.untilStatus(run, 'completed');
    const page = blockOf(done, 'page').artifacts[0];
    expect(await readFile(page?.path ?? '', 'utf8')).toContain('<h1>Railways</h1>');
    expect(page?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('starts no block before what it needs is done, and has no barrier between layers', async () => {
    const go = yard.home.path('go-slow');
    const run = await yard.start(
      factory([
        scripted('fast'),
        scripted('slow', { script: [{ until: go }] }),
        scripted('after-fast', { needs: ['fast'] }),
        scripted('after-both', { needs: ['fast', 'slow'] }),
      ]),
    );
    const midway = await yard.untilBlock(run, 'after-fast', 'done');
    expect(midway.blocks.map(({ status }) => status)).toEqual(['done', 'running', 'done', 'blocked']);
    expect(blockOf(midway, 'after-both').waiting_for).toBe('waits for slow');
    await writeEmpty(go);
    await yard.untilStatus(run, 'completed');
  });

  it('keeps to max_concurrent, and a failed block stops only what depends on it', async () => {
    const go = yard.home.path('go-group');
    const members = ['one', 'two', 'three'].map((id) => scripted(id, { script: [{ until: go }] }));
    const run = await yard.start(
      factory(
        [
          ...members,
          scripted('bad', { script: [{ fail: 'no luck' }], execution: { max_retries: 0 } }),
          scripted('after-bad', { needs: ['bad'] }),
          scripted('after-one', { needs: ['one'] }),
        ],
        { parallel_groups: { trio: { blocks: ['one', 'two', 'three'], max_concurrent: 2 } } },
      ),
    );
    const full = await yard.untilBlock(run, 'bad', 'failed');
    expect(full.groups[0]).toMatchObject({ running: 2, done: 0 });
    expect(blockOf(full, 'three')).toMatchObject({
      status: 'pending',
      waiting_for: 'group trio is full: 2 running of 2',
    });
    await writeEmpty(go);
    const ended = await yard.untilStatus(run, 'failed');
    expect(ended.blocks.map(({ status }) => status)).toEqual([
      'done',
      'done',
      'done',
      'failed',
      'blocked',
      'done',
    ]);
    expect(blockOf(ended, 'bad').error).toContain('no luck');
    expect(blockOf(ended, 'after-bad').waiting_for).toBe('upstream bad failed');
  });
});

describe('a threshold', () => {
  const tested = (script: object[], more: object = {}): Template =>
    factory([
      scripted('test', { script, execution: { threshold: { metric: 'score', min: 85 }, ...more } }),
      scripted('next', { needs: ['test'] }),
    ]);

  it('of 85 fails 82, 84 and 83 with two retries, and a person may override it with a reason', async () => {
    const run = await yard.start(tested(score(82, 84, 83)));
    const failed = await yard.untilStatus(run, 'failed');
    const block = blockOf(failed, 'test');
    expect(block.history.map(({ attempt, score: was }) => [attempt, was])).toEqual([
      [1, 82],
      [2, 84],
      [3, 83],
    ]);
    expect(block).toMatchObject({ failure: 'threshold_not_met', attempts: 2, attempt: 3 });
    expect(await yard.decide(run, 'test', { override: true, justification: ' ' })).toBe(
      'JUSTIFICATION_REQUIRED',
    );
    expect(await yard.decide(run, 'test', { override: true, justification: 'alpha' })).toBe('decided');
    const done = await yard.untilStatus(run, 'completed');
    expect(done.gates.at(-1)?.outcome).toMatchObject({ via: 'override', by: 'ann', justification: 'alpha' });
  });

  it('that is reached at last lets the run go on; the attempt before is told to the next', async () => {
    const run = await yard.start(
      tested([{ metrics: { score: 80 } }, { metrics: { score: 90 }, echo: true }]),
    );
    const done = await yard.untilStatus(run, 'completed');
    const told = JSON.parse(await readFile(blockOf(done, 'test').artifacts[0]?.path ?? '', 'utf8')) as object;
    expect(told).toMatchObject({ previous: { attempt: 1, score: 80, failure: 'threshold_not_met' } });
  });

  it('says so when its metric is absent or no number', async () => {
    const run = await yard.start(tested([{ metrics: { score: 'high' } }], { max_retries: 0 }));
    const failed = await yard.untilStatus(run, 'failed');
    expect(blockOf(failed, 'test')).toMatchObject({ failure: 'metric_missing' });
    expect(blockOf(failed, 'test').error).toContain('score is not a number: "high"');
  });

  it('that only warns is a warning', async () => {
    const run = await yard.start(
      factory([scripted('test', { script: score(10) })], {
        thresholds: [{ block: 'test', metric: 'score', min: 85, action: 'warn' }],
      }),
    );
    const done = await yard.untilStatus(run, 'completed');
    expect(blockOf(done, 'test').warnings).toEqual([expect.stringContaining('score 10 is below 85')]);
  });
});

describe('a skill that fails', () => {
  it('is tried again within its budget', async () => {
    const run = await yard.start(factory([scripted('a', { script: [{ fail: 'first' }, {}] })]));
    const done = await yard.untilStatus(run, 'completed');
    expect(blockOf(done, 'a')).toMatchObject({ attempt: 2, attempts: 1 });
  });

  it('is not tried again when it is not retryable', async () => {
    const run = await yard.start(
      factory([scripted('a', { script: [{ fail: 'once' }], execution: { retryable: false } })]),
    );
    const failed = await yard.untilStatus(run, 'failed');
    expect(blockOf(failed, 'a')).toMatchObject({ attempt: 1, failure: 'error' });
  });

  it('by running over its time, or by leaving nothing, has an outcome that says so', async () => {
    const run = await yard.start(
      factory([
        scripted('hangs', { script: [{ hang: true }], timeout: 300, execution: { max_retries: 0 } }),
        scripted('forgets', { script: [{ omit: ['out'] }], execution: { max_retries: 0 } }),
      ]),
    );
    const failed = await yard.untilStatus(run, 'failed');
    expect(blockOf(failed, 'hangs').failure).toBe('timeout');
    expect(blockOf(failed, 'forgets').failure).toBe('missing_artifact');
  });
});

describe('a gate', () => {
  it('after a block: a rejection runs it again with the feedback, an approval lets the run go on', async () => {
    const run = await yard.start(
      factory([scripted('a', { script: [{}, { echo: true }] }), scripted('b', { needs: ['a'] })], {
        human_gates: [gateAfter('a')],
      }),
    );
    await yard.untilBlock(run, 'a', 'waiting');
    expect(await yard.decide(run, 'a', { role: 'stranger' })).toBe('GATE_ROLE_REFUSED');
    expect(await yard.decide(run, 'a', { approver: 'sam' })).toBe('GATE_SELF_APPROVAL');
    expect(await yard.decide(run, 'b')).toBe('GATE_NOT_FOUND');
    expect(await yard.decide(run, 'a', { decision: 'reject', feedback: 'more hats', attempt: 1 })).toBe(
      'decided',
    );
    await yard.until(
      run,
      (view) => blockOf(view, 'a').attempt === 2 && blockOf(view, 'a').status === 'waiting',
    );
    expect(await yard.decide(run, 'a', { attempt: 1 })).toBe('GATE_ATTEMPT_STALE');
    expect(await yard.decide(run, 'a', { attempt: 2 })).toBe('decided');
    const done = await yard.untilStatus(run, 'completed');
    const told = JSON.parse(await readFile(blockOf(done, 'a').artifacts[0]?.path ?? '', 'utf8')) as object;
    expect(told).toMatchObject({ feedback: [{ text: 'more hats', from: 'ann', attempt: 1 }] });
    expect(await yard.decide(run, 'a')).toBe('RUN_ENDED');
  });

  it('rejected with abort fails its block', async () => {
    const run = await yard.start(factory([scripted('a')], { human_gates: [gateBefore('a')] }));
    await yard.untilBlock(run, 'a', 'waiting');
    expect(await yard.decide(run, 'a', { decision: 'reject', action: 'abort' })).toBe('decided');
    expect(blockOf(await yard.untilStatus(run, 'failed'), 'a').failure).toBe('gate_rejected');
  });

  it('that times out approves only where it says so; elsewhere it stays open and is overdue', async () => {
    const hours = 0.5 / 3600;
    const run = await yard.start(
      factory([scripted('auto'), scripted('strict')], {
        human_gates: [
          gateAfter('auto', { timeout_hours: hours, auto_approve_on_timeout: true }),
          gateAfter('strict', { timeout_hours: hours }),
        ],
      }),
    );
    const late = await yard.until(
      run,
      ({ gates, blocks }) => gates.some(({ overdue }) => overdue) && blocks[0]?.status === 'done',
    );
    expect(blockOf(late, 'strict').status).toBe('waiting');
    expect(await yard.decide(run, 'strict')).toBe('decided');
    const done = await yard.untilStatus(run, 'completed');
    expect(done.gates.map(({ outcome }) => outcome?.via).sort()).toEqual(['decision', 'timeout']);
  });

  it('keeps a decision that comes early, and gives the same answer to the same decision', async () => {
    const go = yard.home.path('go-early');
    const run = await yard.start(
      factory([scripted('a', { script: [{ until: go }] })], { human_gates: [gateAfter('a')] }),
    );
    await yard.untilBlock(run, 'a', 'running');
    expect(await yard.decide(run, 'a', { id: 'early-one' })).toBe('kept');
    expect(await yard.decide(run, 'a', { id: 'early-one' })).toBe('kept');
    await writeEmpty(go);
    await yard.untilStatus(run, 'completed');
  });

  it('with a quorum counts distinct people', async () => {
    const run = await yard.start(factory([scripted('a')], { human_gates: [gateAfter('a', { quorum: 2 })] }));
    await yard.untilBlock(run, 'a', 'waiting');
    expect(await yard.decide(run, 'a')).toBe('counted');
    expect(await yard.decide(run, 'a')).toBe('GATE_VOTE_REPEATED');
    expect(await yard.decide(run, 'a', { approver: 'bob' })).toBe('decided');
    await yard.untilStatus(run, 'completed');
  });
});

const writeEmpty = (path: string): Promise<void> => writeFile(path, '');
