/** The whole service in one process tree: Temporal (embedded or named), the worker and the HTTP API. */
import { join, sep } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { createLocalProgram, openLedgerOf } from '../activities';
import { callersOf } from '../api/auth';
import { FactoryRuns } from '../api/factory-runs';
import { closeServer } from '../api/closing';
import { Metrics } from '../api/metrics';
import { scheduledRunActivities } from '../api/schedules';
import { buildServer } from '../api/server';
import { closeClient } from '../api/temporal-calls';
import { type Config } from '../src/config';
import { hasCode, isErrno } from '../src/errno';
import { problem, type RailyardError } from '../src/errors';
import { announce, lockHome, openHome, PACKAGE_ROOT, withdraw, type Home } from '../src/home';
import { LogFile, LogStream, type Log } from '../src/log';
import { startFactoryWorker, taskQueueOf } from '../worker/factory-worker';
import { Bell } from '../worker/bell';
import { keepServer, temporalFor } from '../worker/temporal';
import { listen, probePort } from './listen';
import { startSdk } from './sdk';
import { Undo } from './undo';

export interface ServiceOptions {
  /** The data directory. */
  readonly root: string;
  readonly config: Config;
  /** For the programs that are started. */
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
  const started = await startParts(options, undo).catch((error: unknown) => err(startFault(options, error)));
  if (started.isErr()) await undo.all();
  return started.map((parts) => ({ ...parts, stop: () => undo.all() }));
}

async function startParts(
  { root, config, env, say }: ServiceOptions,
  undo: Undo,
): Promise<Result<Omit<Service, 'stop'>, RailyardError>> {
  const { http, limits, worker: hands } = config;
  const { host, port } = http;
  const graceMs = config.shutdown.grace_seconds * 1_000;
  const opened = await openHome(root);
  if (opened.isErr()) return err(opened.error);
  const home = opened.value;
  const lock = await lockHome(home);
  if (lock.isErr()) return err(lock.error);
  undo.push(lock.value);
  const free = await probePort(host, port);
  if (free.isErr()) return err(free.error);
  const log = logOf(root, config.log);
  const metrics = new Metrics({ process: true, sdk: await startSdk(log) });

  const ground = { dataDir: root, settings: config.temporal, env, say };
  const found = await temporalFor(ground);
  if (found.isErr()) return err(found.error);
  const temporal = found.value;
  const kept = keepServer(temporal, ground);
  undo.push(kept.stop);
  const connection = await Connection.connect(temporal.connection);
  const { namespace } = temporal;
  const client = new Client({ connection, namespace });
  undo.push(() => closeClient(client));
  const ringing: { bell?: Bell } = {};
  const opening = await openLedgerOf(home, {
    observer: metrics.store,
    ring: (run) => ringing.bell?.poke(run),
  });
  if (opening.isErr()) return err(opening.error);
  const { ledger } = opening.value;

  const skillDirs = [...hands.skills, join(PACKAGE_ROOT, 'skills')];
  const runs = new FactoryRuns({
    home,
    client,
    ledger,
    taskQueue: taskQueueOf(home),
    skillDirs,
  });
  const worker = await startFactoryWorker({
    home,
    connection: temporal.connection,
    namespace,
    settings: { skillDirs, envAllow: hands.env_allow, slots: hands.slots, graceMs },
    runtime: createLocalProgram(),
    ledger,
    ticks: scheduledRunActivities(runs),
    log,
    onAttempt: metrics.attemptEnded,
  });
  if (worker.isErr()) return err(worker.error);
  undo.push(() => worker.value.stop());
  const bell = new Bell({ home, ledger, client, log }).start();
  ringing.bell = bell;
  undo.push(() => bell.stop());

  let stopping = false;
  const server = buildServer({
    key: home.key,
    callers: callersOf(home, config.tokens),
    audit: (line) => log.write('warn', 'A request was not let in', { ...line }),
    limits: {
      principal: { perSecond: limits.caller_per_second, burst: limits.caller_burst },
      stranger: { perSecond: limits.stranger_per_second, burst: limits.stranger_burst },
    },
    open: config.metrics.open ? ['GET /metrics'] : [],
    runs,
    opened: opening.value,
    log: (line) => log.write('error', line),
    requests: (level, fields) => log.write(level, 'A request was answered', fields),
    metrics,
    checks: [
      {
        part: 'worker',
        look: () => Promise.resolve(worker.value.isPolling() ? null : 'it does not ask for work'),
      },
      { part: 'service', look: () => Promise.resolve(stopping ? 'it stops' : null) },
    ],
    bodyLimitBytes: http.body_limit_bytes,
    importLimitBytes: http.import_limit_bytes,
    corsOrigins: http.cors_origins,
    minFreeBytes: config.health.free_disk_bytes,
  });
  const url = await listen(server, host, port);
  if (url.isErr()) return err(url.error);
  undo.push(async () => {
    stopping = true;
    await closeServer(server, graceMs);
  });
  await announce(home, { url: url.value });
  undo.push(() => withdraw(home));

  log.write('info', 'The service is up', { url: url.value, temporal: temporal.address, slots: hands.slots });
  undo.push(() => {
    log.write('info', 'The service stops');
    return Promise.resolve();
  });
  return ok({
    home,
    url: url.value,
    temporal: temporal.address,
    embedded: temporal.server !== null,
    slots: hands.slots,
    broken: Promise.race([kept.broken, brokenWorker(worker.value.stopped)]),
  });
}

function logOf(root: string, { stdout, level, max_bytes: maxBytes }: Config['log']): Log {
  if (stdout) return new LogStream(process.stdout, level);
  return new LogFile(join(root, 'logs', 'railyard.log'), { level, maxBytes });
}

/** What a part threw: the operating system's word on something in the data directory, or a bug. */
function startFault({ root, config }: ServiceOptions, error: unknown): RailyardError {
  const why = error instanceof Error ? error.message : String(error);
  if (isAbout(root, error)) {
    return problem('HOME_UNUSABLE', `The data directory ${root} cannot be used: ${why}.`, {
      suggestion: 'Mend what is named there, or set RAILYARD_HOME to another directory.',
    });
  }
  logOf(root, config.log).write('error', 'The start failed', { error });
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
