import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RailyardError } from '../../src/errors';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Caller, type Answer } from './caller';

let caller: Caller;
beforeAll(async () => {
  caller = await Caller.open();
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

interface Started {
  readonly run_id: string;
}

const template = factory([scripted('a')]);
const start = <Body = Started>(key: string, body: unknown): Promise<Answer<Body>> =>
  caller.call<Body>('POST', '/factory-run', body, { 'idempotency-key': key });

const runsOf = async (): Promise<number> =>
  (await caller.call<{ runs: unknown[] }>('GET', '/factory-run?limit=200')).body.runs.length;

describe('a start with an Idempotency-Key', () => {
  it('starts one run however often it is sent, also after the run is over', async () => {
    const before = await runsOf();
    const first = await start('one', { template, started_by: 'sam' });
    expect(first.status).toBe(201);
    const again = await start('one', { template, started_by: 'sam' });
    expect([again.status, again.body.run_id]).toEqual([200, first.body.run_id]);
    await caller.yard.untilStatus(first.body.run_id, 'completed');
    const late = await start('one', { template, started_by: 'sam' });
    expect([late.status, late.body.run_id]).toEqual([200, first.body.run_id]);
    expect(await runsOf()).toBe(before + 1);
  });

  it('starts one run when it is sent many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => start('at once', { template })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  });

  it('is refused when the key has started something else', async () => {
    await start('two', { template, parameters: { x: 1 }, started_by: 'sam' });
    for (const body of [
      { template, parameters: { x: 2 }, started_by: 'sam' },
      { template, parameters: { x: 1 }, started_by: 'rob' },
      { template: factory([scripted('b')]), parameters: { x: 1 }, started_by: 'sam' },
    ]) {
      const { status, body: error } = await start<RailyardError>('two', body);
      expect([status, error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('has one name for the run, and a key of a bearable length', async () => {
    const two = await start<RailyardError>('five', { template, run_id: 'mine' });
    expect([two.status, two.body.code]).toEqual([400, 'INPUT_INVALID']);
    const long = await start<RailyardError>('x'.repeat(201), { template });
    expect([long.status, long.body.code]).toEqual([400, 'INPUT_INVALID']);
  });
});

describe('a retry with an Idempotency-Key', () => {
  it('is one retry, and the key is of no use for another block', async () => {
    const failing = { script: [{ fail: 'x' }], execution: { max_retries: 0 } };
    const run = await caller.yard.start(factory([scripted('a', failing), scripted('b', failing)]));
    await caller.yard.untilStatus(run, 'failed');
    const retry = (block: string): Promise<Answer<Record<string, unknown>>> =>
      caller.call('POST', `/factory-run/${run}/block/${block}/retry`, {}, { 'idempotency-key': 'again' });
    const first = await retry('a');
    expect(first.body).toEqual({ kind: 'retrying', block: 'a', attempt: 2 });
    await caller.yard.untilStatus(run, 'failed');
    expect((await retry('a')).body).toEqual(first.body);
    expect((await caller.yard.block(run, 'a')).attempt).toBe(2);
    expect((await retry('b')).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });
});

describe('a control with an Idempotency-Key', () => {
  it('that comes again does not undo what was done since, and has its answer also when the run is over', async () => {
    const run = await caller.yard.start(factory([scripted('a')], { human_gates: [gateAfter('a')] }));
    await caller.yard.untilBlock(run, 'a', 'waiting');
    const control = (what: string, key: string): Promise<Answer<Record<string, unknown>>> =>
      caller.call('POST', `/factory-run/${run}/${what}`, {}, { 'idempotency-key': key });
    const paused = await control('pause', 'p');
    expect(paused.body).toMatchObject({ changed: true });
    expect((await control('resume', 'r')).body).toMatchObject({ changed: true });
    expect((await control('pause', 'p')).body).toEqual(paused.body);
    expect((await caller.yard.view(run)).status).toBe('running');
    const cancelled = await control('cancel', 'c');
    await caller.yard.untilStatus(run, 'cancelled');
    expect((await control('cancel', 'c')).body).toEqual(cancelled.body);
    expect((await control('pause', 'x'.repeat(201))).status).toBe(400);
  });
});
