/**
 * One program as a child process, from its start to the end of everything it started.
 *
 * It is noted in the attempt's folder before it can do anything: `sh` waits for a line on its input, which comes when
 * the note is on the disk, and then becomes the program, with the same process number. If we die in between, the line
 * never comes, and neither does the program.
 *
 * It ends in one of these ways: by itself; by its time-out; by being cancelled. The last two ask it with SIGTERM, the
 * whole group, and after a grace insist with SIGKILL. However it ended, what is left of its group is killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { keepLog } from './bounded-log';
import { forgetProcess, noteProcess } from './process-file';
import { killGroup, signalGroup } from './process-group';
import { startOf } from './process-identity';
import { type Secrets } from './secrets';

/** What to run, and how. */
export interface ProcessJob {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the note and the logs go. */
  readonly dir: string;
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Of each log file. */
  readonly logBytes: number;
  readonly secrets: Secrets;
  readonly onStart: (pid: number) => void;
}

/** How it ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why we ended it; null: we did not. */
  readonly stopped: StopReason | null;
  /** The end of what it said on stderr. */
  readonly stderr: Buffer;
}

export type StopReason = 'timeout' | 'cancelled';

export const STDOUT_LOG = 'stdout.log';
export const STDERR_LOG = 'stderr.log';

/** The arguments stay arguments: nothing of them is ever read by the shell. */
const WAIT_THEN_RUN = 'read -r go && exec "$0" "$@"';
/** The variable by which descendants are known whose first ancestor has ended. */
const MARK = 'RAILYARD_EXECUTION';
/** A descendant that left the group may hold our end of the logs open; its words are not waited for any longer. */
const LOGS_END_WITHIN_MS = 1_000;

/** Run a program. Rejects where it cannot be started or noted, or a log cannot be written. */
export async function runProcess(job: ProcessJob, abort: AbortSignal): Promise<ProcessEnd> {
  const { program, args, cwd, dir, logBytes, secrets } = job;
  const execution = randomUUID();
  const child = spawn('/bin/sh', ['-c', WAIT_THEN_RUN, program, ...args], {
    cwd,
    env: { ...job.env, [MARK]: execution },
    // A group of its own.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  // A program that is gone does not take its line; how it ended says the rest.
  child.stdin.on('error', () => undefined);
  const logs = Promise.all([
    keepLog(child.stdout, join(dir, STDOUT_LOG), logBytes, secrets),
    keepLog(child.stderr, join(dir, STDERR_LOG), logBytes, secrets),
  ]);
  // Looked at below; until then a failure is not unhandled.
  logs.catch(() => undefined);
  const { pid } = child;
  if (pid === undefined) {
    // It could not be started; `exited` rejects with the reason.
    await exited;
    throw new Error('Bug: a process that ended and never had a number');
  }
  const stopper = new Stopper(pid, job.graceMs);
  // A program whose words cannot be kept would wait for us to read them.
  logs.catch(() => stopper.kill());
  let exit: Exit;
  try {
    noteProcess(dir, { pid, start: (await startOf(pid)) ?? 'ended', mark: `${MARK}=${execution}` });
    job.onStart(pid);
    stopper.watch(job.timeoutMs, abort);
    child.stdin.end('\n');
    exit = await exited;
  } finally {
    stopper.end();
    await killGroup(pid);
    forgetProcess(dir);
  }
  return { ...exit, stopped: stopper.reason, stderr: await lastOf(child, logs) };
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  exited.catch(() => undefined);
  return exited;
}

/** The end of stderr, once the logs are whole. */
async function lastOf(
  { stdout, stderr }: ChildProcess,
  logs: Promise<readonly [Buffer, Buffer]>,
): Promise<Buffer> {
  const giveUp = setTimeout(() => {
    stdout?.destroy();
    stderr?.destroy();
  }, LOGS_END_WITHIN_MS);
  try {
    return (await logs)[1];
  } finally {
    clearTimeout(giveUp);
  }
}

/** Ends a group for the first reason that comes up. */
class Stopper {
  reason: StopReason | null = null;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly unwatch = new AbortController();

  constructor(
    private readonly group: number,
    private readonly graceMs: number,
  ) {}

  watch(timeoutMs: number, abort: AbortSignal): void {
    this.timers.push(setTimeout(() => this.stop('timeout'), timeoutMs));
    abort.addEventListener('abort', () => this.stop('cancelled'), { signal: this.unwatch.signal });
    if (abort.aborted) this.stop('cancelled');
  }

  /** At once, and for no reason of the caller's. */
  kill(): void {
    // Once the group is gone, its number may be another's.
    if (!this.unwatch.signal.aborted) signalGroup(this.group, 'SIGKILL');
  }

  /** Nothing more to stop. */
  end(): void {
    this.unwatch.abort();
    for (const timer of this.timers) clearTimeout(timer);
  }

  private stop(reason: StopReason): void {
    if (this.reason !== null) return;
    this.reason = reason;
    signalGroup(this.group, 'SIGTERM');
    this.timers.push(setTimeout(() => this.kill(), this.graceMs));
  }
}
