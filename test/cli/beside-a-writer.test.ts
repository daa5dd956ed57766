import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Home } from './railyard';

const APPENDER = join(__dirname, '..', 'workrail', 'local', 'appender.cjs');

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home.remove());

it('commands on the store find it healthy while another process writes to it, and lose it nothing', async () => {
  await home.json('sessions');
  const args = [APPENDER, join(home.root, 'workrail'), '1', '1000000', 'sess_busy'];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  writer.stdout.on('data', (data: Buffer) => (said += data.toString()));
  try {
    await once(writer.stdout, 'data');
    const file = join(home.root, 'busy.bundle');
    for (const command of [
      ['verify'],
      ['sessions'],
      ['inspect', 'sess_busy'],
      ['gc'],
      ['export', 'sess_busy', '-o', file],
    ])
      expect([command, (await home.run(...command)).code]).toEqual([command, 0]);
    expect((await home.run('import', file)).code).toBe(0);
  } finally {
    writer.kill('SIGTERM');
    await once(writer, 'close');
  }
  const { events } = await home.json<{ events: { dedupeKey: string }[] }>('inspect', 'sess_busy');
  const kept = new Set(events.map(({ dedupeKey }) => dedupeKey));
  const acknowledged = said.split('\n').flatMap((line) => /^ack sess_busy (.+)$/.exec(line)?.[1] ?? []);
  expect(acknowledged.filter((key) => !kept.has(key))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(1);
});
