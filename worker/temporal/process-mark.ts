import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A mark of a running process that a later process with the same pid does not have: its boot and its start time.
 * Null: no such process runs (a zombie has ended), or this system does not say.
 */
export function processMark(pid: number): string | null {
  if (process.platform === 'linux') return linuxMark(pid);
  if (process.platform === 'win32') return null;
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() || null;
}

function linuxMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets and may hold anything; state is the 3rd field, start time the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}
