import { describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess, type ProcessJob } from '../../activities/child-process';
import { Secrets } from '../../activities/secrets';
import { temporary } from '../sandbox/places';

/** A shell script as a job, in a folder of its own. */
function job(script: string, change: Partial<ProcessJob> = {}): ProcessJob {
  const dir = temporary();
  return {
    program: '/bin/sh',
    args: ['-c', script],
    cwd: dir,
    env: { PATH: process.env.PATH ?? '' },
    dir,
    timeoutMs: 30_000,
    graceMs: 300,
    logBytes: 1_000,
    secrets: new Secrets({}),
    onStart: () => undefined,
    ...change,
  };
}

const never = new AbortController().signal;

describe('a child process', () => {
  it('has not begun while it cannot be noted', async () => {
    const one = job('echo > begun');
    // A folder in the place of the note.
    mkdirSync(join(one.dir, 'process.json/in-the-way'), { recursive: true });
    await expect(runProcess(one, never)).rejects.toThrow('EISDIR');
    expect(existsSync(join(one.dir, 'begun'))).toBe(false);
  });

  it('has begun only when it was noted', async () => {
    const one = job('cat process.json > seen');
    await runProcess(one, never);
    expect(JSON.parse(readFileSync(join(one.dir, 'seen'), 'utf8'))).toMatchObject({ version: 1 });
  });

  it('gets its arguments as they are', async () => {
    const odd = ['a b', '$(echo no)', '"', "'", '*', '', '-n', 'ß\n'];
    const one = job('', { args: ['-c', 'printf "%s|" "$@"', 'sh', ...odd] });
    await runProcess(one, never);
    expect(readFileSync(join(one.dir, 'stdout.log'), 'utf8')).toBe(odd.map((arg) => `${arg}|`).join(''));
  });

  it('has nothing on its input', async () => {
    const one = job('cat');
    expect(await runProcess(one, never)).toMatchObject({ code: 0, signal: null, stopped: null });
    expect(readFileSync(join(one.dir, 'stdout.log'), 'utf8')).toBe('');
  });

  it('does not make us wait for one that left its group with the logs open', async () => {
    const one = job('setsid sleep 20 & echo $! > left; echo said >&2');
    const { stderr } = await runProcess(one, never);
    expect(stderr.toString()).toBe('said\n');
    process.kill(Number(readFileSync(join(one.dir, 'left'), 'utf8')), 'SIGKILL');
  });
});
