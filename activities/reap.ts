/**
 * A killed worker leaves its skills running. Whoever comes after it, the next execution of the attempt or the next worker,
 * ends them: nobody will ask for what they do, and they would write into the workspace of others.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AttemptLock } from './attempt-lock';
import { forgetProcess, PROCESS_FILE, readProcess, type ProcessNote } from './process-file';
import { killGroup, signalGroup } from './process-group';
import { hasEnv, membersOf, startOf } from './process-identity';

/** End what an attempt left running; the caller holds the attempt's lock. True: there was something. */
export async function reapAttempt(dir: string): Promise<boolean> {
  const note = readProcess(dir);
  const ours = note !== null && (await isOurs(note));
  if (ours) await killGroup(note.pid);
  forgetProcess(dir);
  return ours;
}

/** End what killed workers left running in all the attempts below a folder. Answers with how many there were. */
export async function reapOrphans(runsDir: string): Promise<number> {
  let reaped = 0;
  for await (const dir of attemptsWithProcess(runsDir)) {
    const lock = AttemptLock.take(dir);
    // A lock that is held says that its worker lives.
    if (!lock) continue;
    try {
      if (await reapAttempt(dir)) reaped += 1;
    } finally {
      lock.release();
    }
  }
  return reaped;
}

/**
 * Is the group the one that was noted? Its first process says so by its start; where that one has ended, any other one by
 * the mark in its environment. A number that is used again passes neither test.
 */
async function isOurs({ pid, start, mark }: ProcessNote): Promise<boolean> {
  if (!signalGroup(pid, 0)) return false;
  if ((await startOf(pid)) === start) return true;
  for (const member of (await membersOf(pid)) ?? []) if (await hasEnv(member, mark)) return true;
  return false;
}

async function* attemptsWithProcess(dir: string): AsyncGenerator<string> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* attemptsWithProcess(join(dir, entry.name));
    else if (entry.name === PROCESS_FILE) yield dir;
  }
}
