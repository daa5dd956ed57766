/** Triggers, lifecycles, scope gates and aggregates, in whole runs. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FactoryRuns } from '../../api/factory-runs';
import { createNoopRuntime, type SkillRequest } from '../../activities';
import { type JsonValue } from '../../src/canonical';
import { type Block, type Template } from '../../src/factory/schema';
import { attemptDir } from '../../src/home';
import { systemMinting } from '../../src/workrail/local';
import { taskQueueOf } from '../../worker/factory-worker';
import { openLedgerOf } from '../../activities/open-ledger';
import { factory, gateAfter, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;

const MANUAL: Partial<Block> = { trigger: { type: 'manual' } };
const ON_DEMAND: Partial<Block> = { ...MANUAL, lifecycle: { mode: 'on-demand' } };
const DAEMON: Partial<Block> = { ...MANUAL, lifecycle: { mode: 'daemon' } };
const on = (event: string): Partial<Block> => ({ trigger: { type: 'event', event } });

let keys = 0;

/** Trigger a block; answers with what happened, or the code of the refusal. */
async function trigger(
  run: string,
  block: string,
  payload: JsonValue = null,
  id = `key-${(keys += 1)}`,
): Promise<string> {
  const said = await yard.runs.fire(run, {
    type: 'trigger',
    block,
    via: 'manual',
    id,
    by: 'tom',
    payload,
  });
  if (said.isErr()) return said.error.code;
  return said.value.kind === 'trigger' ? said.value.result : said.value.kind;
}

async function send(
  run: string,
  name: string,
  payload: JsonValue,
  id = `key-${(keys += 1)}`,
): Promise<string> {
  const said = await yard.runs.fire(run, { type: 'event', name, id, by: 'eve', payload });
  if (said.isErr()) return said.error.code;
  return said.value.kind === 'trigger' ? said.value.result : said.value.kind;
}

/** What the skill of an attempt was told. */
async function told(run: string, block: string, attempt = 1): Promise<SkillRequest> {
  const text = await readFile(`${attemptDir(yard.home, run, block, attempt)}/request.json`, 'utf8');
  return JSON.parse(text) as SkillRequest;
}

describe('in a run,', () => {
  beforeAll(async () => {
    yard = await Yard.open();
  });
  afterAll(() => yard.close());

  describe('a manual trigger', () => {
    it('starts its block with a payload, once; other blocks are not its business', async () => {
      const run = await yard.start(
        factory([
          scripted('up'),
          { ...scripted('a', { needs: ['up'] }), ...MANUAL },
          scripted('b', { needs: ['a'] }),
        ]),
      );
      const waiting = await yard.until(run, (view) => blockOf(view, 'a').status === 'pending');
      expect(blockOf(waiting, 'a').waiting_for).toBe('waits for somebody to trigger it');
      expect(await trigger(run, 'b')).toBe('INPUT_INVALID');
      expect(await trigger(run, 'nobody')).toBe('BLOCK_NOT_FOUND');
      expect(await trigger(run, 'a', 'x'.repeat(70_000))).toBe('BODY_TOO_LARGE');
      expect(await trigger(run, 'a', { expert: 'ada' })).toBe('triggered');
      expect(await trigger(run, 'a')).toBe('ignored');
      await yard.untilStatus(run, 'completed');
      expect(await told(run, 'a')).toMatchObject({
        attempt: 1,
        trigger: { type: 'manual', payload: { expert: 'ada' } },
      });
      expect((await told(run, 'b')).trigger).toBeNull();
      expect(await trigger(run, 'a')).toBe('RUN_ENDED');
    });
  });

  describe('an event', () => {
    it('is kept for a block that cannot start yet, passes by those it does not fit, and counts once', async () => {
      const go = yard.home.path('go-event');
      const run = await yard.start(
        factory([
          scripted('up', { script: [{ until: go }] }),
          { ...scripted('a', { needs: ['up'] }), ...on('saved(status=final)') },
          { ...scripted('b'), ...on('saved(status=draft)') },
        ]),
      );
      expect(await send(run, 'lost', null)).toBe('no-listener');
      expect(await send(run, 'saved', { status: 'final' }, 'one')).toBe('kept');
      expect(await send(run, 'saved', { status: 'final' }, 'one')).toBe('kept');
      expect(blockOf(await yard.view(run), 'b').waiting_for).toBe('waits for the event saved(status=draft)');
      await writeFile(go, '');
      await yard.untilBlock(run, 'a', 'done');
      expect(await send(run, 'saved', { status: 'draft' })).toBe('triggered');
      await yard.untilStatus(run, 'completed');
      expect((await told(run, 'a')).trigger).toEqual({ type: 'event', payload: { status: 'final' } });
    });
  });

  describe('a block on demand', () => {
    it('runs as often as it is asked, keeps what comes meanwhile, and does not hold the run open', async () => {
      const go = yard.home.path('go-demand');
      const run = await yard.start(
        factory([
          scripted('main', { script: [{ until: go }] }),
          { ...scripted('extra'), ...ON_DEMAND },
          { ...scripted('unasked'), ...ON_DEMAND },
        ]),
      );
      await trigger(run, 'extra', 1);
      await trigger(run, 'extra', 2);
      await yard.until(run, (view) => {
        const { status, attempt } = blockOf(view, 'extra');
        return status === 'done' && attempt === 2;
      });
      await writeFile(go, '');
      const done = await yard.untilStatus(run, 'completed');
      expect(done.blocks.map(({ status }) => status)).toEqual(['done', 'done', 'pending']);
      expect(blockOf(done, 'unasked').waiting_for).toBe('the run is completed');
      const payloads = await Promise.all(
        [1, 2].map(async (n) => (await told(run, 'extra', n)).trigger?.payload),
      );
      expect(payloads).toEqual([1, 2]);
    });
  });

  describe('a daemon', () => {
    it('is let finish when the run ends; what depends on it starts once it has been done', async () => {
      const [one, two, main] = ['one', 'two', 'main'].map((name) => yard.home.path(`go-daemon-${name}`));
      const run = await yard.start(
        factory([
          { ...scripted('src', { script: [{ until: one ?? '' }, { until: two ?? '' }] }), ...DAEMON },
          scripted('use', { needs: ['src'] }),
          scripted('main', { script: [{ until: main ?? '' }] }),
        ]),
      );
      expect(blockOf(await yard.view(run), 'use').waiting_for).toBe('waits for src');
      await trigger(run, 'src');
      await writeFile(one ?? '', '');
      await yard.untilBlock(run, 'use', 'done');
      expect(await trigger(run, 'src')).toBe('triggered');
      await writeFile(main ?? '', '');
      const ending = await yard.untilBlock(run, 'main', 'done');
      expect([ending.status, blockOf(ending, 'src').status]).toEqual(['running', 'running']);
      expect(await trigger(run, 'src')).toBe('RUN_ENDED');
      await writeFile(two ?? '', '');
      const done = await yard.untilStatus(run, 'completed');
      expect(blockOf(done, 'src')).toMatchObject({ status: 'done', attempt: 2 });
    });
  });

  describe('a clock', () => {
    it('that was due while nobody drove the run is taken up, and its block runs', async () => {
      const block: Block = { ...scripted('a'), trigger: { type: 'cron', cron: '0 3 * * *' } };
      const run = await startLate(factory([block, scripted('b', { needs: ['a'] })]));
      await yard.untilStatus(run.id, 'completed');
      expect((await told(run.id, 'a')).trigger).toEqual({
        type: 'cron',
        payload: { scheduled_time: run.due },
      });
    });

    it('is shown with the time of its next tick', async () => {
      const block: Block = { ...scripted('a'), trigger: { type: 'cron', cron: '0 3 * * *' } };
      const run = await yard.start(factory([block]));
      expect((await yard.block(run, 'a')).waiting_for).toMatch(
        /^waits for the next tick of 0 3 \* \* \*, at \d{4}-\d\d-\d\dT03:00:00\.000Z$/,
      );
      await yard.control(run, { type: 'cancel', by: 'carl' });
      await yard.untilStatus(run, 'cancelled');
    });
  });

  describe('aggregates and scope gates', () => {
    it('hand over all artifacts of the named blocks, and hold a block back until lower gates are through', async () => {
      const go = yard.home.path('go-scope');
      const run = await yard.start(
        factory([
          { ...scripted('one', { script: [{ until: go }] }), scope: { gate: 1 } },
          { ...scripted('two'), scope: { gate: 2 } },
          scripted('free'),
          { ...scripted('all', { needs: ['free'] }), lens: { aggregates: ['one', 'two'] } },
        ]),
      );
      const held = await yard.untilBlock(run, 'free', 'done');
      expect(blockOf(held, 'two')).toMatchObject({
        status: 'blocked',
        waiting_for: 'waits at scope gate 2 for one',
      });
      await writeFile(go, '');
      const done = await yard.untilStatus(run, 'completed');
      const { aggregate, inputs } = await told(run, 'all');
      expect(inputs.map(({ block }) => block)).toEqual(['free', 'one', 'two']);
      expect(aggregate).toEqual(
        ['one', 'two'].map((block) => ({ block, ...blockOf(done, block).artifacts[0] })),
      );
    });
  });
});

describe('a run with a long history', () => {
  beforeAll(async () => {
    yard = await Yard.open({ runtime: createNoopRuntime(), limits: { continueAt: 15, drainAt: 30 } });
  });
  afterAll(() => yard.close());

  it('carries kept triggers and those it knows over into a fresh execution', async () => {
    const run = await yard.start(
      factory([scripted('main'), { ...scripted('d'), ...DAEMON }], { human_gates: [gateAfter('main')] }),
    );
    expect(await trigger(run, 'd', 0, 'first')).toBe('triggered');
    for (let n = 1; n < 12; n += 1) expect(await trigger(run, 'd', n)).not.toBe('RUN_ENDED');
    await yard.until(run, (view) => {
      const { status, attempt } = blockOf(view, 'd');
      return status === 'done' && attempt === 12;
    });
    expect(await trigger(run, 'd', 0, 'first')).toBe('triggered');
    expect((await yard.block(run, 'd')).attempt).toBe(12);
    expect(await yard.decide(run, 'main')).toBe('decided');
    await yard.untilStatus(run, 'completed');
    const { raw } = await yard.client.workflow.getHandle(run).describe();
    const { firstRunId, execution } = raw.workflowExecutionInfo ?? {};
    expect(firstRunId).not.toBe(execution?.runId);
  });
});

/** Start a run that began a second before three o'clock, by its ledger: the tick of that time is overdue. */
async function startLate(template: Template): Promise<{ id: string; due: string }> {
  const { home, client } = yard;
  const due = new Date(new Date().setUTCHours(3, 0, 0, 0) - 86_400_000);
  const minting = { ...systemMinting, nowMs: () => due.getTime() - 1_000 };
  const { ledger } = (await openLedgerOf(home, { minting }))._unsafeUnwrap();
  const skillDirs = [`${__dirname}/../fixtures/factory-skills`];
  const runs = new FactoryRuns({ home, client, ledger, taskQueue: taskQueueOf(home), skillDirs });
  const started = await runs.start({ template, parameters: {}, startedBy: 'sam', run: null });
  return { id: started._unsafeUnwrap().run, due: due.toISOString() };
}
