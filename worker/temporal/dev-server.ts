import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { freePort } from './free-port';
import { type ServerExit } from './guarded-server';
import { reap } from './reap';
import { rotateLog } from './server-log';
import { isPortTaken, startFailed } from './start-failure';
import { startOn, type Start } from './start-on';
import { reasonOf, type Env, type Say } from './ways';

const READY_WITHIN_MS = 30_000;
const PORTS_TRIED = 3;

/** A Temporal dev server of this process. */
export interface DevServer {
  readonly address: string;
  readonly pid: number;
  /** End it and wait until it is gone; safe to call twice. */
  readonly stop: () => Promise<void>;
  /** Settles when it is gone, whether it was stopped, killed, or ended by itself. */
  readonly exited: Promise<ServerExit>;
}

/** What a dev server is started with. */
export interface DevServerOptions {
  /** The Temporal CLI. */
  readonly program: string;
  /** Holds the database, the log and the pid file. The caller sees to it that no other Railyard uses it. */
  readonly dataDir: string;
  readonly env: Env;
  readonly say: Say;
  readonly namespace?: string;
  /** This port and no other: the clients of a server that crashed find the next one at the same address. */
  readonly port?: number;
  /** How long it may take until it answers; 30 s where nothing is said. */
  readonly readyWithinMs?: number;
}

/** Start a dev server on the data directory and wait until it can be used. */
export async function startDevServer(options: DevServerOptions): Promise<Result<DevServer, RailyardError>> {
  const dataDir = resolve(options.dataDir);
  const start: Start = {
    ...{ program: resolve(options.program), namespace: options.namespace ?? 'default', dataDir },
    ...{ logFile: join(dataDir, 'logs', 'temporal.log'), pidFile: join(dataDir, 'temporal.pid') },
    ...{ env: environmentOf(options.env), readyWithinMs: options.readyWithinMs ?? READY_WITHIN_MS },
  };
  try {
    mkdirSync(dataDir, { recursive: true });
    const reaped = await reap(start.pidFile, options.say);
    if (reaped.isErr()) return err(reaped.error);
    rotateLog(start.logFile);
  } catch (error) {
    return err(problem('HOME_UNUSABLE', `The data directory cannot be used: ${reasonOf(error)}.`));
  }
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    const started = await startOn(port, start);
    if (started.isOk()) return ok(started.value);
    // Another program took the port between our look and the server's bind.
    const last = options.port !== undefined || tries === PORTS_TRIED;
    if (last || !isPortTaken(started.error.lines)) return err(startFailed({ ...start, ...started.error }));
    options.say(`Port ${port} is taken; trying another one.`);
  }
}

/** Without what would make the program or the guard do something else. */
function environmentOf(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_') && name !== 'NODE_OPTIONS'),
  );
}
