/**
 * Which process a number means: numbers are used again, so one is kept together with when its process started.
 * Linux tells in /proc; elsewhere `ps` does.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** When a process started, as a text that only serves to be compared; null where there is no such process. */
export async function startOf(pid: number): Promise<string | null> {
  const boot = await readOrNull('/proc/sys/kernel/random/boot_id');
  if (boot === null) return startFromPs(pid);
  const stat = await statOf(pid);
  // Ticks since boot mean nothing after the next one.
  return stat === null || stat.state === 'Z' ? null : `${boot.trim()}:${stat.start}`;
}

/** The processes of a group that have not ended; null where there is no /proc to tell. */
export async function membersOf(group: number): Promise<readonly number[] | null> {
  const names = await readdirOrNone('/proc');
  if (!names.includes('self')) return null;
  const members: number[] = [];
  for (const pid of names.map(Number).filter(Number.isInteger)) {
    const stat = await statOf(pid);
    // A process that ended is a zombie until its parent looks; an orphan's new parent may take its time.
    if (stat?.group === group && stat.state !== 'Z' && stat.state !== 'X') members.push(pid);
  }
  return members;
}

/** Has a process this text, `NAME=value`, in its environment? Only Linux can tell; elsewhere: no. */
export async function hasEnv(pid: number, text: string): Promise<boolean> {
  return (await readOrNull(`/proc/${pid}/environ`))?.split('\0').includes(text) === true;
}

async function statOf(pid: number): Promise<{ state: string; group: number; start: string } | null> {
  const text = await readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name in parentheses and may hold anything; the third one is the state.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), start: fields[19] ?? '' };
}

/** The same from `ps`, where there is no /proc. */
export async function startFromPs(pid: number): Promise<string | null> {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env });
    return stdout.trim() || null;
  } catch {
    // `ps` says by its exit code that there is no such process.
    return null;
  }
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}

async function readdirOrNone(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch {
    return [];
  }
}
