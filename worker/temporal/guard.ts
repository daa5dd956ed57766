/**
 * A process of its own that runs the Temporal dev server and ends it when Railyard goes, however it goes.
 *
 *   node guard.js <pid file> <log file> <program> <arguments of the program…>
 *
 * Railyard starts it in a session of its own, so the terminal's Ctrl-C reaches neither it nor the server, and holds
 * the other end of its IPC channel. The channel closes with Railyard, even at `kill -9`. Rules:
 * - channel closed, message 'stop', or a signal to the guard: the server gets SIGTERM, and SIGKILL after the grace;
 * - the server ended: its end is told, and when Railyard has closed the channel, nothing is left to do;
 * - the guard dies: Railyard sees it and ends the server; if both die at once, the pid file tells the next start.
 */
import { spawn } from 'node:child_process';
import { logWriter } from './server-log';
import { removePidFile, writePidFile } from './pid-file';
import { processMark } from './process-mark';
import { GRACE_MS, type MarkedProcess } from './terminate';

/** What the guard tells Railyard. */
export type GuardMessage =
  | { readonly kind: 'started'; readonly server: MarkedProcess }
  | { readonly kind: 'not-started'; readonly reason: string }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

function guard(pidFile: string, logFile: string, program: string, args: readonly string[]): void {
  const owner = { pid: process.ppid, mark: processMark(process.ppid) ?? 'unknown' };
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  const marked = { pid: server.pid ?? 0, mark: processMark(server.pid ?? 0) ?? 'unknown' };
  const log = logWriter(logFile);
  server.stdout.on('data', log);
  server.stderr.on('data', log);

  const stop = () => {
    server.kill('SIGTERM');
    setTimeout(() => server.kill('SIGKILL'), GRACE_MS).unref();
  };
  process.on('disconnect', stop);
  process.on('message', stop);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // Whatever else ends the guard ends the server.
  process.on('exit', () => server.kill('SIGKILL'));

  server.once('spawn', () => {
    writePidFile(pidFile, { server: marked, owner, program });
    tell({ kind: 'started', server: marked });
  });
  server.once('error', (error) => tell({ kind: 'not-started', reason: error.message }));
  // 'close' and not 'exit': by then the log has everything the server printed.
  server.once('close', (code, signal) => {
    removePidFile(pidFile, marked);
    tell({ kind: 'exited', code, signal });
  });
}

function tell(message: GuardMessage): void {
  // With Railyard gone there is nobody to tell.
  if (process.connected) process.send?.(message, () => undefined);
}

const [, , pidFile, logFile, program, ...args] = process.argv;
if (pidFile !== undefined && logFile !== undefined && program !== undefined) {
  guard(pidFile, logFile, program, args);
}
