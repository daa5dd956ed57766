import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { type GuardMessage } from './guard';
import { GRACE_MS, terminate, type MarkedProcess } from './terminate';
import { type Env } from './ways';

/** How the server ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server under its guard. */
export interface GuardedServer {
  readonly server: MarkedProcess;
  /** Settles when neither the server nor its guard runs any more. */
  readonly exited: Promise<ServerExit>;
  /** End the server; the second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/** What the guard needs to know. */
export interface GuardOrder {
  /** The compiled guard. */
  readonly guard: string;
  readonly pidFile: string;
  readonly logFile: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Env;
}

/** Start a guard and, by it, the server. An error is in one line why it could not be started. */
export function startGuarded(order: GuardOrder): Promise<Result<GuardedServer, string>> {
  const guard = spawn(
    process.execPath,
    [order.guard, order.pidFile, order.logFile, order.program, ...order.args],
    {
      cwd: order.cwd,
      env: order.env,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    },
  );
  return new Promise((resolve) => {
    let server: MarkedProcess | null = null;
    let exit: ServerExit | null = null;
    let stopping: Promise<void> | null = null;

    const exited = new Promise<ServerExit>((settle) => {
      guard.once('exit', () => {
        void (async () => {
          // The guard died before its server: this process takes over.
          if (exit === null && server !== null) exit = { code: null, signal: await terminate(server) };
          settle(exit ?? { code: null, signal: null });
        })();
      });
    });

    const stop = async () => {
      guard.ref();
      if (guard.connected) guard.send('stop', () => undefined);
      // The guard kills the server after the grace; where it cannot, this process does.
      const waiting = new AbortController();
      const late = pause(GRACE_MS + 2_000, 'late', { signal: waiting.signal }).catch(() => 'in time');
      if ((await Promise.race([exited, late])) === 'late') {
        guard.kill('SIGKILL');
        await exited;
      }
      waiting.abort();
    };

    guard.on('message', (message: GuardMessage) => {
      if (message.kind === 'started') {
        server = message.server;
        // A server that is forgotten does not keep Railyard alive: it ends with it.
        guard.unref();
        guard.channel?.unref();
        resolve(ok({ server, exited, stop: () => (stopping ??= stop()) }));
        return;
      }
      if (message.kind === 'exited') exit = { code: message.code, signal: message.signal };
      else resolve(err(message.reason));
      // The guard has told everything and ends when it is let go.
      if (guard.connected) guard.disconnect();
    });
    guard.once('error', (error) => resolve(err(error.message)));
    guard.once('exit', (code) => resolve(err(`its guard process ended (${code ?? 'signal'})`)));
  });
}
