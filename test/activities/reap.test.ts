import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reapOrphans } from '../../activities';
import { AttemptLock } from '../../activities/attempt-lock';
import { noteProcess, type ProcessNote } from '../../activities/process-file';
import { startFromPs, startOf } from '../../activities/process-identity';
import { reapAttempt } from '../../activities/reap';
import { temporary } from '../sandbox/places';
import { endAfterwards, isAlive, pidIn, until } from './scene';

const groups: number[] = [];
afterAll(() => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  }
});

/** A shell script in a process group of its own, marked like a skill. */
function start(script: string, cwd = temporary()): number {
  const env = { PATH: process.env.PATH, FIXTURE_MARK: 'x1' };
  const { pid } = spawn('/bin/sh', ['-c', script], { cwd, env, detached: true, stdio: 'ignore' });
  if (pid === undefined) throw new Error('No process');
  groups.push(pid);
  return pid;
}

/** The folder of an attempt with a note in it. */
async function noted(dir: string, pid: number, change: Partial<ProcessNote> = {}): Promise<string> {
  mkdirSync(dir, { recursive: true });
  const started = (await startOf(pid)) ?? 'ended';
  noteProcess(dir, { pid, start: started, mark: 'FIXTURE_MARK=x1', ...change });
  return dir;
}

const hasNote = (dir: string): boolean => existsSync(join(dir, 'process.json'));

describe('reaping an attempt', () => {
  it('ends the process that was noted, with its group, and forgets it', async () => {
    const place = temporary();
    const pid = start('sleep 1000 & echo $! > child; wait', place);
    const child = endAfterwards(await pidIn(join(place, 'child')));
    const dir = await noted(temporary(), pid);
    expect(await reapAttempt(dir)).toBe(true);
    expect([pid, child].map(isAlive)).toEqual([false, false]);
    expect(hasNote(dir)).toBe(false);
    expect(await reapAttempt(dir)).toBe(false);
  });

  it('ends what is left of a group whose first process has ended', async () => {
    const place = temporary();
    const pid = start('sleep 1000 & echo $! > child', place);
    const child = endAfterwards(await pidIn(join(place, 'child')));
    const dir = await noted(temporary(), pid, { start: 'the start of the first process' });
    await until(() => !isAlive(pid));
    expect(isAlive(child)).toBe(true);
    expect(await reapAttempt(dir)).toBe(true);
    expect(isAlive(child)).toBe(false);
  });

  it('leaves a process alone that has only the number of the one that was noted', async () => {
    const pid = start('exec sleep 1000');
    const dir = await noted(temporary(), pid, { start: 'another time', mark: 'FIXTURE_MARK=x2' });
    expect(await reapAttempt(dir)).toBe(false);
    expect(isAlive(pid)).toBe(true);
    expect(hasNote(dir)).toBe(false);
  });

  it.each(['', '{"pid":1}', '{"version":1,"pid":-1,"start":"x","mark":"y"}', '{"version":1,"pid":0.5}'])(
    'ends nothing because of the note %j',
    async (text) => {
      const dir = temporary();
      writeFileSync(join(dir, 'process.json'), text);
      expect(await reapAttempt(dir)).toBe(false);
      expect(hasNote(dir)).toBe(false);
    },
  );
});

describe('reaping orphans', () => {
  it('ends what killed workers left, and nothing of a worker that lives', async () => {
    const runs = temporary();
    const [orphan, owned] = [start('exec sleep 1000'), start('exec sleep 1000')];
    const left = await noted(join(runs, 'r1/attempts/a.1'), orphan);
    const live = await noted(join(runs, 'r2/attempts/a.1'), owned);
    mkdirSync(join(runs, 'r3/attempts/a.1'), { recursive: true });
    const lock = AttemptLock.take(live);
    expect(await reapOrphans(runs)).toBe(1);
    expect([orphan, owned].map(isAlive)).toEqual([false, true]);
    expect([left, live].map(hasNote)).toEqual([false, true]);
    lock?.release();
    expect(await reapOrphans(runs)).toBe(1);
    expect(isAlive(owned)).toBe(false);
  });
});

describe('the start of a process', () => {
  it.each([
    ['/proc', startOf],
    ['ps', startFromPs],
  ])('is known from %s, stays the same, and is nothing where there is no process', async (_from, ask) => {
    const first = await ask(process.pid);
    expect(first).toEqual(expect.any(String));
    expect(await ask(process.pid)).toBe(first);
    expect(await ask(2 ** 22 + 1)).toBeNull();
  });

  it('differs between processes', async () => {
    const pid = start('exec sleep 1000');
    expect(await startOf(pid)).not.toBe(await startOf(process.pid));
  });
});
