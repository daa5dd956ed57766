import { setTimeout as pause } from 'node:timers/promises';
import { processMark } from './process-mark';

/** A process that can be told from a later one with its pid. */
export interface MarkedProcess {
  readonly pid: number;
  readonly mark: string;
}

/** How long a server may take to end by itself; it needs about a second. */
export const GRACE_MS = 8_000;
const LOOK_EVERY_MS = 50;

/** Whether it is this very process that runs. */
export const isRunning = ({ pid, mark }: MarkedProcess): boolean => processMark(pid) === mark;

/** Ask a process that is not our child to end, then kill it. Answers with the signal that did it. */
export async function terminate(target: MarkedProcess, graceMs = GRACE_MS): Promise<'SIGTERM' | 'SIGKILL'> {
  if (await signalAndWait(target, 'SIGTERM', graceMs)) return 'SIGTERM';
  await signalAndWait(target, 'SIGKILL', graceMs);
  return 'SIGKILL';
}

async function signalAndWait(target: MarkedProcess, signal: NodeJS.Signals, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  if (!isRunning(target)) return true;
  try {
    process.kill(target.pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
  while (Date.now() < end) {
    if (!isRunning(target)) return true;
    await pause(LOOK_EVERY_MS);
  }
  return false;
}
