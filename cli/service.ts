/** The whole service in one process tree: Temporal (embedded or named), the worker and the HTTP API. */
import { join, sep } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { createLocalProgram } from '../activities';
import { callersOf } from '../api/auth';
import { FactoryRuns } from '../api/factory-runs';
import { scheduledRunActivities } from '../api/schedules';
import { buildServer } from '../api/server';
import { hasCode, isErrno } from '../src/errno';
import { problem, type RailyardError } from '../src/errors';
import { announce, lockHome, openHome, withdraw, type Home } from '../src/home';
import { routeSdkLogs, startFactoryWorker, taskQueueOf } from '../worker/factory-worker';
import { LogFile } from '../worker/logs';
import { readWorkerSettings } from '../worker/settings';
import { keepServer, temporalFor } from '../worker/temporal';
import { listen, probePort } from './listen';
import { Undo } from './undo';

export interface ServiceOptions {
  /** The data directory. */
  readonly root: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Gets a line for a person about what is going on. */
  readonly say: (line: string) => void;
}

export interface Service {
  readonly home: Home;
  readonly url: string;
  /** The address of Temporal. */
  readonly temporal: string;
  readonly embedded: boolean;
  readonly slots: number;
  /** Settles with the reason when the service cannot go on. */
  readonly broken: Promise<RailyardError>;
  /** End everything, what was started last first. Safe to call twice. */
  stop(): Promise<void>;
}

/** Start everything; where a part fails, what was started before it is stopped again. */
export async function startService(options: ServiceOptions): Promise<Result<Service, RailyardError>> {
  const undo = new Undo(options.say);
  const started = await startParts(options, undo).catch((error: unknown) =>
    err(startFault(options.root, error)),
  );
  if (started.isErr()) await undo.all();
  return started.map((parts) => ({ ...parts, stop: () => undo.all() }));
}

async function startParts(
  { root, host, port, env, say }: ServiceOptions,
  undo: Undo,
): Promise<Result<Omit<Service, 'stop'>, RailyardError>> {
  const settings = readWorkerSettings(env);
  if (settings.isErr()) return err(settings.error);
  const opened = await openHome(root);
  if (opened.isErr()) return err(opened.error);
  const home = opened.value;
  const callers = callersOf(home, env);
  if (callers.isErr()) return err(callers.error);
  const lock = await lockHome(home);
  if (lock.isErr()) return err(lock.error);
  undo.push(lock.value);
  const free = await probePort(host, port);
  if (free.isErr()) return err(free.error);
  const log = logOf(root);
  routeSdkLogs(log);

  const ground = { dataDir: root, env, say };
  const found = await temporalFor(ground);
  if (found.isErr()) return err(found.error);
  const temporal = found.value;
  const kept = keepServer(temporal, ground);
  undo.push(kept.stop);
  const connection = await Connection.connect(temporal.connection);
  undo.push(() => connection.close());

  const { namespace } = temporal;
  const runs = new FactoryRuns({
    home,
    client: new Client({ connection, namespace }),
    taskQueue: taskQueueOf(home),
    skillDirs: settings.value.skillDirs,
  });
  const worker = await startFactoryWorker({
    home,
    connection: temporal.connection,
    namespace,
    settings: settings.value,
    runtime: createLocalProgram(),
    ticks: scheduledRunActivities(runs),
    log,
  });
  if (worker.isErr()) return err(worker.error);
  undo.push(() => worker.value.stop());

  const server = buildServer({
    key: home.key,
    callers: callers.value,
    audit: (line) => log.write('WARN', 'A request was not let in', { ...line }),
    runs,
    log: (line) => log.write('ERROR', line),
  });
  const url = await listen(server, host, port);
  if (url.isErr()) return err(url.error);
  undo.push(() => server.close());
  await announce(home, { url: url.value });
  undo.push(() => withdraw(home));

  return ok({
    home,
    url: url.value,
    temporal: temporal.address,
    embedded: temporal.server !== null,
    slots: settings.value.slots,
    broken: Promise.race([kept.broken, brokenWorker(worker.value.stopped)]),
  });
}

const logOf = (root: string): LogFile => new LogFile(join(root, 'logs', 'railyard.log'));

/** What a part threw: the operating system's word on something in the data directory, or a bug. */
function startFault(root: string, error: unknown): RailyardError {
  const why = error instanceof Error ? error.message : String(error);
  if (isAbout(root, error)) {
    return problem('HOME_UNUSABLE', `The data directory ${root} cannot be used: ${why}.`, {
      suggestion: 'Mend what is named there, or set RAILYARD_HOME to another directory.',
    });
  }
  logOf(root).write('ERROR', 'The start failed', { error });
  return problem('INTERNAL', `Railyard could not be started: ${why}.`);
}

/** An error of a write to an open file names no path, and here nothing else is written. */
function isAbout(root: string, error: unknown): boolean {
  if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO')) return true;
  return isErrno(error) && 'path' in error && String(error.path).startsWith(`${root}${sep}`);
}

async function brokenWorker(stopped: Promise<void>): Promise<RailyardError> {
  try {
    await stopped;
    return problem('INTERNAL', 'The worker ended by itself.');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return problem('TEMPORAL_AWAY', `The worker failed: ${why}.`);
  }
}
