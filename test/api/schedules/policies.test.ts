import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../cli/railyard';
import { factory, gateAfter, scripted } from '../../yard/templates';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

const gated = factory([scripted('a')], { human_gates: [gateAfter('a')] });
const daily = { cron: '0 6 * * *' };

/** Take the tick of one day by Temporal's own hand, under the schedule's own policy. */
async function tick(name: string, day: string): Promise<void> {
  const { client, home } = scene.caller.yard;
  const start = new Date(`${day}T06:00:00Z`);
  const { overlap } = await scene.read(name);
  const policies = {
    skip: 'SKIP',
    cancel_other: 'CANCEL_OTHER',
    terminate_other: 'TERMINATE_OTHER',
  } as const;
  if (!(overlap in policies)) throw new Error(overlap);
  // The test names only these three.
  const policy = policies[overlap as keyof typeof policies];
  const handle = client.schedule.getHandle(`railyard-${home.store}-${name}.1`);
  await handle.backfill({ start, end: start, overlap: policy });
}

describe('a tick that comes while the run of an earlier one is going', () => {
  it('is skipped by default, and counted', async () => {
    await scene.create('skips', gated, daily);
    await tick('skips', '2026-03-02');
    await scene.caller.yard.untilBlock('skips-20260302T060000Z', 'a', 'waiting');
    await tick('skips', '2026-03-03');
    await until(async () => (await scene.read('skips')).counts?.skipped === 1);
    await scene.caller.yard.decide('skips-20260302T060000Z', 'a');
    await scene.caller.yard.untilStatus('skips-20260302T060000Z', 'completed');
    expect(await scene.runsOf('skips')).toEqual(['skips-20260302T060000Z']);
  });

  it('cancels that run and waits for its end, with cancel_other', async () => {
    await scene.create('cancels', gated, { ...daily, overlap: 'cancel_other' });
    await tick('cancels', '2026-03-02');
    await scene.caller.yard.untilBlock('cancels-20260302T060000Z', 'a', 'waiting');
    await tick('cancels', '2026-03-03');
    await scene.caller.yard.untilBlock('cancels-20260303T060000Z', 'a', 'waiting');
    expect((await scene.caller.yard.view('cancels-20260302T060000Z')).status).toBe('cancelled');
  });

  it('cancels that run and does not wait, with terminate_other', async () => {
    await scene.create('ends', gated, { ...daily, overlap: 'terminate_other' });
    await tick('ends', '2026-03-02');
    await scene.caller.yard.untilBlock('ends-20260302T060000Z', 'a', 'waiting');
    await tick('ends', '2026-03-03');
    await scene.caller.yard.untilBlock('ends-20260303T060000Z', 'a', 'waiting');
    await scene.caller.yard.untilStatus('ends-20260302T060000Z', 'cancelled');
  });
});

describe('a preview', () => {
  // Berlin's clocks go forward on 29 March and back on 25 October.
  it.each([
    ['forward', '30 2 * * *', '2026-03-28', '2026-03-30', ['28T013000Z', '30T003000Z']],
    ['back', '30 2 * * *', '2026-10-24', '2026-10-26', ['24T003000Z', '25T013000Z', '26T013000Z']],
    ['back-alone', '30 2 * * *', '2026-10-25', '2026-10-25', ['25T013000Z']],
    [
      'back-often',
      '0 1-4 * * *',
      '2026-10-25',
      '2026-10-25',
      ['24T230000Z', '25T000000Z', '25T020000Z', '25T030000Z'],
    ],
  ])('over a clock that goes %s names what is then run', async (way, cron, from, to, expected) => {
    const name = `clock-${way}`;
    await scene.create(name, undefined, { cron, time_zone: 'europe/berlin' });
    const runs = (await scene.preview(name, from, to)).body.ticks.map(({ run_id }) => run_id);
    expect(runs.map((run) => run.slice(-10))).toEqual(expected);
    await scene.backfill(name, { from, to });
    const ticks = await scene.untilTicks(
      name,
      (all) => all.filter(({ status }) => status === 'completed').length === expected.length,
    );
    expect(ticks.map(({ run_id }) => run_id).sort()).toEqual(runs);
  });

  it('takes both ends of a range of moments, and nothing that is still to come', async () => {
    await scene.create('ends-in', undefined, daily);
    const runs = async (from: string, to: string): Promise<string[]> =>
      (await scene.preview('ends-in', from, to)).body.ticks.map(({ run_id }) => run_id);
    expect(await runs('2026-03-02T06:00:00Z', '2026-03-03T07:00:00+01:00')).toEqual([
      'ends-in-20260302T060000Z',
      'ends-in-20260303T060000Z',
    ]);
    expect(await runs('2999-01-01', '2999-02-01')).toEqual([]);
  });

  it('is refused for a range that is upside down or too long', async () => {
    await scene.create('ranges', undefined, { cron: '* * * * *' });
    await scene.caller.call('POST', '/schedule/ranges/pause', {});
    for (const [from, to] of [
      ['2026-03-03', '2026-03-02'],
      ['2026-03-01', '2026-03-02'],
      ['2000-01-01', '2026-03-02'],
      ['yesterday', '2026-03-02'],
    ]) {
      expect((await scene.preview('ranges', from ?? '', to ?? '')).body.code).toBe('INPUT_INVALID');
    }
  });

  it('means with two day fields that either fits, as in the cron of a block', async () => {
    await scene.create('either', undefined, { cron: '0 6 1 * mon' });
    const { body } = await scene.preview('either', '2026-03-01', '2026-03-09');
    expect(body.ticks.map(({ scheduled_at }) => scheduled_at.slice(8, 10))).toEqual(['01', '02', '09']);
  });
});
