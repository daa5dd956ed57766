import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../cli/railyard';
import { factory, gateAfter, scripted } from '../../yard/templates';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

const DAYS = { from: '2026-03-02', to: '2026-03-04' };
const daily = { cron: '0 6 * * *' };
const gated = factory([scripted('a')], { human_gates: [gateAfter('a')] });
const failing = factory([scripted('a', { script: [{ fail: 'x' }], execution: { max_retries: 0 } })]);

describe('a tick', () => {
  it('comes by itself and starts a run that completes', async () => {
    await scene.create('every-minute', QUICK_WITH_DATE, {
      cron: '* * * * *',
      parameters: { day: 'of {{scheduled_date}}' },
    });
    const [tick] = await scene.untilTicks('every-minute', (ticks) => ticks[0]?.status === 'completed');
    await scene.caller.call('POST', '/schedule/every-minute/pause', {});
    const at = tick?.scheduled_at ?? '';
    expect(new Date(at).getUTCSeconds()).toBe(0);
    expect(tick?.run_id).toBe(`every-minute-${at.replaceAll(/[-:]|\.000/g, '')}`);
    const run = await scene.caller.call('GET', `/factory-run/${tick?.run_id ?? ''}`);
    expect(run.body).toMatchObject({ started_by: 'sam', parameters: { day: `of ${at.slice(0, 10)}` } });
  });
});

const QUICK_WITH_DATE = factory([scripted('a')], { config: { title: '{{day}}' } });

describe('run now', () => {
  it('starts one run for one key, however often it is asked', async () => {
    await scene.create('asked');
    const first = await scene.runNow('asked', 'k');
    expect(first.status).toBe(202);
    await scene.untilTicks('asked', (ticks) => ticks[0]?.status === 'completed');
    const again = await scene.runNow('asked', 'k');
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await scene.runsOf('asked')).toEqual([first.body.run_id]);
  });

  it('starts a run each time without a key, also within a second', async () => {
    await scene.create('twice');
    const asked = await Promise.all([scene.runNow('twice'), scene.runNow('twice'), scene.runNow('twice')]);
    await scene.untilTicks(
      'twice',
      (ticks) => ticks.filter(({ status }) => status === 'completed').length === 3,
    );
    expect((await scene.runsOf('twice')).sort()).toEqual(asked.map(({ body }) => body.run_id).sort());
  });

  it('refuses a key that was used for something else', async () => {
    await scene.create('key', QUICK_WITH_DATE, { parameters: { day: 'x' }, ...daily });
    await scene.backfill('key', { ...DAYS, to: DAYS.from }, 'k');
    expect((await scene.runNow('key', 'k')).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('shows why no run was started', async () => {
    const workspace = scene.caller.yard.home.path('shared');
    await scene.create('shared', gated, { parameters: { workspace_path: workspace } });
    const first = (await scene.runNow('shared')).body.run_id;
    await scene.untilTicks('shared', ([tick]) => tick?.status === 'running');
    await scene.runNow('shared');
    const [, refused] = await scene.untilTicks('shared', (ticks) => ticks.length === 2);
    expect(refused).toMatchObject({
      status: 'refused',
      error: { code: 'WORKSPACE_BUSY', details: { run: first } },
    });
  });
});

describe('a backfill', () => {
  it('of three days makes three runs, and again makes none', async () => {
    await scene.create('days', undefined, daily);
    const planned = await scene.preview('days', DAYS.from, DAYS.to);
    const runs = ['days-20260302T060000Z', 'days-20260303T060000Z', 'days-20260304T060000Z'];
    expect(planned.body.ticks.map(({ run_id, exists }) => [run_id, exists])).toEqual(
      runs.map((run) => [run, false]),
    );
    // Twice at the same time, then again when all is done.
    await Promise.all([scene.backfill('days', DAYS), scene.backfill('days', DAYS)]);
    await scene.untilTicks(
      'days',
      (ticks) => ticks.filter(({ status }) => status === 'completed').length === 3,
    );
    const again = await scene.backfill('days', DAYS);
    expect(again.body.ticks.every(({ exists }) => exists)).toBe(true);
    expect((await scene.runsOf('days')).sort()).toEqual(runs);
    expect((await scene.read('days')).ticks).toHaveLength(3);
  });

  it('runs one after the other unless it is told not to', async () => {
    await scene.create('queue', gated, daily);
    await scene.backfill('queue', { ...DAYS, to: '2026-03-03' });
    const run = 'queue-20260302T060000Z';
    await scene.caller.yard.untilBlock(run, 'a', 'waiting');
    expect((await scene.read('queue')).ticks).toHaveLength(1);
    await scene.caller.yard.decide(run, 'a');
    await scene.caller.yard.untilBlock('queue-20260303T060000Z', 'a', 'waiting');
    await scene.create('crowd', gated, daily);
    await scene.backfill('crowd', { ...DAYS, overlap: 'allow_all' });
    for (const day of ['02', '03', '04']) {
      await scene.caller.yard.untilBlock(`crowd-202603${day}T060000Z`, 'a', 'waiting');
    }
  });

  it('of a name that was deleted and made again has runs of its own', async () => {
    const day = { from: DAYS.from, to: DAYS.from };
    await scene.create('again', undefined, daily);
    await scene.backfill('again', day);
    await scene.untilTicks('again', ([tick]) => tick?.status === 'completed');
    expect((await scene.caller.call('DELETE', '/schedule/again')).status).toBe(200);
    await scene.create('again', failing, daily);
    await scene.backfill('again', day);
    const [tick] = await scene.untilTicks('again', ([one]) => one?.status === 'failed');
    expect(tick?.run_id).toBe('again-20260302T060000Z-2');
  });
});

describe('a failed run', () => {
  it('stays open for a retry and does not hold up the next tick', async () => {
    const signpost = scene.caller.yard.home.path('mended');
    const template = factory([
      scripted('a', { script: [{ fail: 'x' }, { until: signpost }], execution: { max_retries: 0 } }),
    ]);
    await scene.create('fails', template, daily);
    await scene.backfill('fails', DAYS);
    const ticks = await scene.untilTicks(
      'fails',
      (all) => all.filter(({ status }) => status === 'failed').length === 3,
    );
    const first = ticks[0]?.run_id ?? '';
    await writeFile(signpost, '');
    expect(await scene.caller.yard.control(first, { type: 'retry-block', block: 'a', by: 'sam' })).toBeNull();
    await scene.caller.yard.untilStatus(first, 'completed');
  });

  it('pauses its schedule where that is wanted', async () => {
    await scene.create('careful', failing, { ...daily, pause_on_failure: true });
    await scene.backfill('careful', { ...DAYS, to: DAYS.from });
    await scene.untilTicks('careful', ([tick]) => tick?.status === 'failed');
    await until(async () => (await scene.read('careful')).state === 'paused');
  });
});
