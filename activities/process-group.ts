/** Process groups: a skill and everything it starts is one, and ends as one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../src/errno';
import { membersOf } from './process-identity';

const POLL_MS = 10;
/** A process in an uninterruptible call outlives its SIGKILL; it is not waited for any longer. */
const GONE_WITHIN_MS = 2_000;

/** Send a signal to every process of a group; false where there is none any more. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    // EPERM: it is there, and a part of it is not ours to signal.
    return true;
  }
}

/** Kill a group, and wait until nothing of it runs any more. */
export async function killGroup(group: number): Promise<void> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  while (signalGroup(group, 'SIGKILL') && Date.now() < deadline) {
    if ((await membersOf(group))?.length === 0) return;
    await sleep(POLL_MS);
  }
}
