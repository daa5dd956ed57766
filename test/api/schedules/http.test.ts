import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FactoryRuns } from '../../../api/factory-runs';
import { Schedules } from '../../../api/schedules';
import { openHome } from '../../../src/home';
import { openLedgerOf } from '../../../activities/open-ledger';
import { factory, scripted } from '../../yard/templates';
import { faultsIn, operationOf } from '../openapi/conforms';
import { QUICK, RARELY, Scene } from './scene';

const SKILLS = [join(__dirname, '..', '..', 'fixtures', 'factory-skills')];

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(async () => {
  expect(scene.caller.faults).toEqual([]);
  await scene.close();
});

describe('a schedule that could never start a run', () => {
  const wanting = factory([scripted('a')], { config: { title: '{{topic}}' } });
  const skilled = factory([{ ...scripted('a'), skill: 'nobody-has-it' }]);
  it.each([
    ['INPUT_INVALID', 'a cron with a wrong field', QUICK, { cron: '61 * * * *' }],
    ['INPUT_INVALID', 'a cron with too many fields', QUICK, { cron: '0 0 0 1 1 *' }],
    ['INPUT_INVALID', 'a day that never comes', QUICK, { cron: '0 0 30 2 *' }],
    ['INPUT_INVALID', 'a zone that is none', QUICK, { time_zone: 'Mars/Olympus' }],
    ['INPUT_INVALID', 'an offset for a zone', QUICK, { time_zone: '+01:00' }],
    ['INPUT_INVALID', 'a name with a capital', QUICK, { name: 'Nightly' }],
    ['INPUT_INVALID', 'a name that climbs', QUICK, { name: '../x' }],
    ['INPUT_INVALID', 'a catch-up of nothing', QUICK, { catch_up_seconds: 0 }],
    ['INPUT_INVALID', 'a relative workspace', QUICK, { parameters: { workspace_path: 'here' } }],
    ['TEMPLATE_INVALID', 'a template without blocks', factory([]), {}],
    ['PARAMETERS_MISSING', 'a parameter too few', wanting, {}],
    ['SKILL_NOT_FOUND', 'a skill that is not there', skilled, {}],
  ])('is refused with %s: %s', async (code, _what, template, more) => {
    const { status, body } = await scene.create('never', template, more);
    expect(body.code).toBe(code);
    expect(faultsIn(operationOf('POST', '/api/a360/schedule'), status, body)).toEqual([]);
    expect((await scene.caller.call('GET', '/schedule/never')).status).toBe(404);
  });
});

describe('what the service answers', () => {
  it('is what the document says, from creation to deletion', async () => {
    const checked = async (method: string, path: string, body?: unknown): Promise<number> => {
      const answer = await scene.caller.call(method, path, body);
      expect(faultsIn(operationOf(method, `/api/a360${path}`), answer.status, answer.body)).toEqual([]);
      return answer.status;
    };
    const body = { name: 'told', template: QUICK, cron: '0 6 * * *', time_zone: 'Europe/Berlin' };
    expect(await checked('POST', '/schedule', body)).toBe(201);
    expect(await checked('POST', '/schedule', body)).toBe(200);
    expect(await checked('POST', '/schedule', { ...body, cron: RARELY })).toBe(409);
    expect(await checked('GET', '/schedule')).toBe(200);
    expect(await checked('POST', '/schedule/told/pause', { by: 'sam', reason: 'quiet' })).toBe(200);
    expect(await scene.read('told')).toMatchObject({
      ...{ state: 'paused', note: 'Paused by sam: quiet', next_times: [], catch_up_seconds: 3600 },
    });
    expect(await checked('POST', '/schedule/told/resume', {})).toBe(200);
    expect(await scene.read('told')).toMatchObject({ state: 'active', next_time: expect.any(String) });
    expect(await checked('POST', '/schedule/told/run', {})).toBe(202);
    const range = { from: '2026-03-02', to: '2026-03-02' };
    expect(await checked('GET', `/schedule/told/backfill?${new URLSearchParams(range).toString()}`)).toBe(
      200,
    );
    expect(await checked('POST', '/schedule/told/backfill', range)).toBe(202);
    await scene.untilTicks('told', (ticks) => ticks.length === 2);
    expect(await checked('GET', '/schedule/told')).toBe(200);
    expect(await checked('DELETE', '/schedule/told')).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/run'],
    ] as const) {
      expect(await checked(method, `/schedule/told${path}`, method === 'POST' ? {} : undefined)).toBe(404);
    }
  });

  it('comes page by page, by name', async () => {
    for (const name of ['page-c', 'page-a', 'page-b']) await scene.create(name);
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await scene.caller.call<{
        schedules: { name: string }[];
        next_cursor: string | null;
      }>('GET', `/schedule?limit=1${query}`);
      names.push(...body.schedules.map(({ name }) => name));
      cursor = body.next_cursor;
    }
    expect(names.filter((name) => name.startsWith('page-'))).toEqual(['page-a', 'page-b', 'page-c']);
    for (const [factory, found] of [
      ['test', true],
      ['another', false],
    ] as const) {
      const { body } = await scene.caller.call<{ schedules: unknown[] }>(
        'GET',
        `/schedule?factory=${factory}`,
      );
      expect(body.schedules.length > 0).toBe(found);
    }
  });
});

describe('two stores on one server', () => {
  it('may have schedules of one name, and do not see each other’s', async () => {
    const { client, taskQueue } = scene.caller.yard.runs;
    const folder = await mkdtemp(join(tmpdir(), 'railyard-other-store-'));
    const home = (await openHome(folder))._unsafeUnwrap();
    const { ledger } = (await openLedgerOf(home))._unsafeUnwrap();
    const other = new Schedules(new FactoryRuns({ home, client, ledger, taskQueue, skillDirs: SKILLS }));
    const request = { name: 'same', template: QUICK, parameters: {}, startedBy: 'sam', timeZone: 'UTC' };
    const policy = { overlap: 'skip', catchUpSeconds: 60, pauseOnFailure: false } as const;
    expect((await scene.create('same')).status).toBe(201);
    expect((await other.read('same'))._unsafeUnwrapErr().code).toBe('SCHEDULE_NOT_FOUND');
    const created = await other.create({ ...request, ...policy, cron: '0 6 * * *' });
    expect(created._unsafeUnwrap().fresh).toBe(true);
    expect((await other.list({ limit: 10 })).schedules.map(({ name }) => name)).toEqual(['same']);
    expect((await other.delete('same')).isOk()).toBe(true);
    expect(await scene.read('same')).toMatchObject({ cron: RARELY, state: 'active' });
    await rm(folder, { recursive: true });
  });
});

describe('a schedule that Temporal does not have', () => {
  it('is shown as orphaned, and is back when it is created again as it was', async () => {
    await scene.create('lost');
    const { client, home } = scene.caller.yard;
    await client.schedule.getHandle(`railyard-${home.store}-lost.1`).delete();
    expect((await scene.read('lost')).state).toBe('orphaned');
    expect((await scene.runNow('lost')).body).toMatchObject({ code: 'SCHEDULE_ORPHANED' });
    expect((await scene.create('lost')).status).toBe(201);
    expect((await scene.read('lost')).state).toBe('active');
  });
});
