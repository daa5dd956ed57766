/** The worker of one store: its workflows, its skills and its signatures, on one task queue. */
import { DefaultLogger, NativeConnection, Runtime, Worker, type LogEntry } from '@temporalio/worker';
import { err, ok, type Result } from 'neverthrow';
import {
  agentHostOf,
  createAgentActivities,
  createAttemptActivities,
  createLedgerActivities,
  reapOrphans,
  watchAttempts,
  type AttemptEnd,
  type SkillRuntime,
} from '../activities';
import { problem, type RailyardError } from '../src/errors';
import {
  attemptDir,
  FactoryShelf,
  isSignedBy,
  previousArtifacts,
  readRun,
  saveCompletion,
  type Home,
} from '../src/home';
import { type RunLedger } from '../src/ledger';
import { type Log, type LogLevel } from '../src/log';
import { ContentStore } from '../src/sandbox';
import {
  type CompletionActivities,
  type ScheduledRunActivities,
  type SignatureActivities,
  type SignedDecision,
  type SignedTrigger,
} from '../workflows/messages';
import { findBundle } from './bundle';
import { type ConnectionSettings } from './temporal';

/** A parked run costs 0.4 MB; one that falls out of the cache is replayed from its history at its next event. */
const MAX_CACHED_RUNS = 2_000;

/** The task queue of a store's runs. */
export const taskQueueOf = (home: Home): string => `factory-${home.store}`;

/** What a worker may do on this host. */
export interface WorkerSettings {
  /** Where skills are looked for, in this order. */
  readonly skillDirs: readonly string[];
  /** The environment variables that a block may ask for. */
  readonly envAllow: readonly string[];
  /** How many skills may run at once, across runs. */
  readonly slots: number;
  /** How long skills may take to end when the worker stops. */
  readonly graceMs?: number;
}

const GRACE_MS = 20_000;

export interface FactoryWorkerOptions {
  readonly home: Home;
  /** How to reach Temporal. */
  readonly connection: ConnectionSettings;
  readonly namespace: string;
  readonly settings: WorkerSettings;
  readonly runtime: SkillRuntime;
  /** The ledger of the store in that data directory. */
  readonly ledger: RunLedger;
  /** Prepares the runs of schedules, as the API that is on this data directory prepares any other. */
  readonly ticks: ScheduledRunActivities;
  readonly log: Log;
  /** Told of every execution of an attempt that ended. */
  readonly onAttempt?: (end: AttemptEnd) => void;
}

/** A worker that is polling. */
export interface FactoryWorker {
  /** Ends when the worker has stopped; rejects when it failed. */
  readonly stopped: Promise<void>;
  /** Does it ask Temporal for work? */
  isPolling(): boolean;
  /** Take no more tasks, hand running skills back to Temporal, and wait. Safe to call twice. */
  stop(): Promise<void>;
}

/** Start a worker; skills that an earlier one left running are ended first. */
export async function startFactoryWorker(
  options: FactoryWorkerOptions,
): Promise<Result<FactoryWorker, RailyardError>> {
  const { home, namespace, settings, log } = options;
  const bundle = await findBundle();
  if (bundle.isErr()) return err(bundle.error);
  const reaped = await reapOrphans(home.path('runs'));
  if (reaped > 0) log.write('warn', 'Ended skills that an earlier worker left running', { count: reaped });

  let connection: NativeConnection;
  try {
    connection = await NativeConnection.connect(options.connection);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return err(
      problem('TEMPORAL_AWAY', `The worker cannot reach Temporal at ${options.connection.address}: ${why}.`),
    );
  }
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: taskQueueOf(home),
    workflowBundle: { codePath: bundle.value },
    activities: activitiesOf(options),
    maxConcurrentActivityTaskExecutions: settings.slots,
    maxCachedWorkflows: MAX_CACHED_RUNS,
    // After a kill, the next task of a cached run waits this long for the dead worker.
    stickyQueueScheduleToStartTimeout: '2s',
    // A cancel reaches a skill with the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '1s',
    shutdownForceTime: settings.graceMs ?? GRACE_MS,
  });
  const stopped = worker.run().finally(() => connection.close());
  const quiet = stopped.catch(() => undefined);
  return ok({
    stopped,
    isPolling: () => {
      const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
      return (
        runState === 'RUNNING' && [workflowPollerState, activityPollerState].every((one) => one === 'POLLING')
      );
    },
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await quiet;
    },
  });
}

/**
 * Send what the Temporal SDK says to the log, and let it serve what it counts at an address of this machine. Once a
 * process, before anything else of the SDK.
 */
export function routeSdkLogs(log: Log, metricsAddress: string | null = null): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }: LogEntry) =>
    log.write(LEVELS[level], message, { ...meta, source: 'temporal-sdk' }),
  );
  const names = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  const prometheus = { bindAddress: metricsAddress ?? '', ...names };
  const telemetryOptions = {
    // `forward`: also what the SDK's native side has to say.
    logging: { forward: {} },
    ...(metricsAddress === null ? {} : { metrics: { prometheus } }),
  };
  Runtime.install({ logger, telemetryOptions, shutdownSignals: [] });
}

/** The SDK's levels as ours. */
const LEVELS: Readonly<Record<LogEntry['level'], LogLevel>> = {
  ...{ TRACE: 'debug', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' },
};

function activitiesOf(options: FactoryWorkerOptions) {
  const { home, settings, runtime, ledger, ticks, log, onAttempt = () => undefined } = options;
  const shelf = new FactoryShelf(home);
  const attempts = createAttemptActivities({
    runRecord: (run) => Promise.resolve(readRun(home, run)),
    compiledFactory: (hash) => Promise.resolve(shelf.read(hash)),
    previousArtifacts: (run, block) =>
      readRun(home, run).match(
        (record) => previousArtifacts(home, record, block),
        () => Promise.resolve([]),
      ),
    attemptDir: (run, block, attempt) => attemptDir(home, run, block, attempt),
    store: new ContentStore(home.path('artifacts')),
    ledger,
    runtime,
    skillDirs: settings.skillDirs,
    envAllow: settings.envAllow,
  });
  const watched = watchAttempts(attempts, {
    log,
    onEnd: onAttempt,
    typeOf: ({ factoryHash, block }) => {
      const known = shelf.read(factoryHash).map(({ blocks }) => blocks.find(({ id }) => id === block)?.type);
      return known.unwrapOr(undefined) ?? 'unknown';
    },
  });
  const agents = createAgentActivities(agentHostOf(home));
  const signatures: SignatureActivities = {
    verifyDecision: (run: string, signed: Partial<SignedDecision> | null) =>
      Promise.resolve(isSignedBy(home, { run, decision: signed?.decision }, signed?.signature)),
    verifyTrigger: (run: string, signed: Partial<SignedTrigger> | null) =>
      Promise.resolve(isSignedBy(home, { run, request: signed?.request }, signed?.signature)),
  };
  const completion: CompletionActivities = {
    recordCompletion: async ({ run, endedAt, artifacts }) => {
      const record = readRun(home, run);
      // Somebody took the run's folder away; nobody can say any more which runs would be of its kind.
      if (record.isOk()) await saveCompletion(home, record.value, artifacts, Date.parse(endedAt));
    },
  };
  return { ...watched, ...createLedgerActivities(ledger), ...agents, ...signatures, ...completion, ...ticks };
}
