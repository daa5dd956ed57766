import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ScheduleView } from '../../api/schedules';
import { factory, scripted } from '../yard/templates';
import { Home, until } from './railyard';

let home: Home;
let template: string;
beforeAll(async () => {
  home = await Home.make({ TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL });
  await home.up();
  template = join(home.root, 'quick.json');
  await writeFile(template, JSON.stringify(factory([scripted('a')])));
});
afterAll(() => home.remove());

const say = (...args: readonly string[]) => home.run('schedule', ...args);

it('takes a schedule from its creation to its end', async () => {
  expect((await say('list')).out).toContain('railyard schedule create');
  const created = await say(
    'create',
    'nightly',
    template,
    '--cron',
    '0 2 * * *',
    '--time-zone',
    'Europe/Berlin',
  );
  expect(created.out).toContain('created nightly; next at ');
  expect((await say('pause', 'nightly', '--reason', 'quiet')).out).toContain('paused');
  expect((await say('show', 'nightly')).out).toMatch(/Paused by .*: quiet/);
  const ran = await say('run', 'nightly');
  expect(ran.out).toMatch(/^started nightly-\d{8}T\d{6}Z\n/);
  expect((await say('resume', 'nightly')).out).toContain('active');
  const range = ['nightly', '--from', '2026-03-28', '--to', '2026-03-30'] as const;
  expect((await say('backfill', ...range, '--preview')).out).toContain('2 runs would be started');
  expect((await say('backfill', ...range, '--at-once')).out).toContain('2 runs asked for');
  await until(async () => {
    const { ticks } = await home.json<ScheduleView>('schedule', 'show', 'nightly');
    return ticks.filter(({ status }) => status === 'completed').length === 3;
  });
  expect((await say('backfill', ...range, '--preview')).out).toContain('0 runs would be started');
  expect((await say('list')).out).toContain('0 2 * * * (Europe/Berlin)');
  expect((await say('delete', 'nightly')).out).toContain('deleted nightly');
});

it('says what is wrong, with an exit code that fits', async () => {
  const bad = await say('create', 'bad', template, '--cron', '99 * * * *');
  expect(bad.code).toBe(2);
  expect(bad.err).toContain('minute');
  expect((await say('create', 'bad', template)).code).toBe(2);
  expect((await say('create', 'bad', template, '--cron', '@daily', '--catch-up', 'long')).code).toBe(2);
  expect((await say('show', 'nobody')).code).toBe(4);
  expect((await say('run', 'nobody')).err).toContain('railyard schedule list');
});

it.each(['create', 'list', 'show', 'pause', 'resume', 'run', 'backfill', 'delete'])(
  'explains "schedule %s"',
  async (command) => {
    const { code, out } = await say(command, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`Usage: railyard schedule ${command}`);
  },
);
