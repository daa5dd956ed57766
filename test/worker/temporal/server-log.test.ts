import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { logEnd, logTail, logWriter, rotateLog } from '../../../worker/temporal/server-log';
import { removeFolder, temporaryFolder } from './fake-programs';

let folder: string;
let log: string;
beforeEach(() => {
  folder = temporaryFolder();
  log = join(folder, 'logs', 'temporal.log');
  rotateLog(log);
});
afterEach(() => removeFolder(folder));

describe('the log of the dev server', () => {
  it('keeps the log of the start before, and no older one', () => {
    for (const line of ['first', 'second', 'third']) {
      rotateLog(log);
      writeFileSync(log, line);
    }
    expect(readdirSync(join(folder, 'logs')).sort()).toEqual(['temporal.log', 'temporal.log.1']);
    expect(readFileSync(`${log}.1`, 'utf8')).toBe('second');
  });

  it('stays small however much is written', () => {
    const write = logWriter(log, 1000);
    for (let n = 0; n < 500; n += 1) write(Buffer.from(`line ${n} ${'x'.repeat(50)}\n`));
    const sizes = [log, `${log}.1`].map((path) => statSync(path).size);
    expect(Math.max(...sizes)).toBeLessThan(1100);
    expect(logTail(log, 0).at(-1)).toContain('line 499');
  });

  it('goes on when it cannot be written', () => {
    const write = logWriter(join(folder, 'no', 'such', 'folder.log'));
    expect(() => write(Buffer.from('lost'))).not.toThrow();
  });

  it('shows only what came after a start', () => {
    appendFileSync(log, 'of an earlier try\n');
    const start = logEnd(log);
    expect(logTail(log, start)).toEqual([]);
    appendFileSync(log, Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join(''));
    expect(logTail(log, start, 2)).toEqual(['line 28', 'line 29']);
  });
});
