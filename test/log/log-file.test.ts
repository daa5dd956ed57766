import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { LogFile } from '../../src/log';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'railyard-log-'));
  path = join(folder, 'railyard.log');
});
afterEach(() => rm(folder, { recursive: true }));

const lines = async (file = path): Promise<Record<string, unknown>[]> =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('a log has one JSON object a line, of the wanted levels', async () => {
  const log = new LogFile(path, { level: 'warn' });
  log.write('info', 'not wanted');
  log.write('warn', 'two\nlines', { run: 'r', block: 'b', attempt: 1, error: new Error('why'), size: 5n });
  expect(await lines()).toEqual([
    {
      ...{ time: expect.stringMatching(/^\d{4}-.*Z$/), level: 'warn', message: 'two\nlines' },
      ...{ run: 'r', block: 'b', attempt: 1, error: expect.stringContaining('Error: why'), size: '5' },
    },
  ]);
});

it('a log never grows beyond its bound, and keeps one old file, across restarts', async () => {
  for (let start = 0; start < 3; start += 1) {
    const log = new LogFile(path, { maxBytes: 2_000 });
    for (let i = 0; i < 40; i += 1) log.write('info', `line ${start}.${i}`);
  }
  expect((await stat(path)).size).toBeLessThanOrEqual(2_000);
  expect((await stat(`${path}.old`)).size).toBeLessThanOrEqual(2_000);
  expect((await lines()).at(-1)).toMatchObject({ message: 'line 2.39' });
});

it('a log that cannot be written is let go, and goes on when it can', async () => {
  const late = join(folder, 'not', 'there.log');
  const log = new LogFile(late);
  log.write('error', 'lost');
  await mkdir(join(folder, 'not'));
  log.write('error', 'kept');
  expect(await lines(late)).toMatchObject([{ message: 'kept' }]);
});
