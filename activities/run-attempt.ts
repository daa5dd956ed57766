/**
 * Executes attempts. One attempt has one outcome: it is in the ledger before anybody hears of it, and an attempt that has
 * one is not executed again, whoever asks and how often. Until then everything may be repeated: what a killed execution
 * left running is ended, inputs are put back, outputs are cleared.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context, type CancelledFailure } from '@temporalio/activity';
import { type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { type RunRecord } from '../src/factory/attempt';
import { type CompiledFactory } from '../src/factory/compile';
import { type ArtifactRef, type AttemptOutcome } from '../src/factory/run-state';
import { isLost, type AttemptActivities, type AttemptCall, type Fact } from '../src/ledger';
import { type ContentStore } from '../src/sandbox';
import { AttemptLock } from './attempt-lock';
import { busy, failureOf, handedBack, ledgerFailure, thrown } from './failures';
import { judgeAttempt, presentable } from './judge-attempt';
import { type ActivityLedger } from './ledger';
import { prepareAttempt } from './prepare-attempt';
import { reapAttempt } from './reap';
import { Secrets } from './secrets';
import { declaredEnv } from './skill-env';
import { type SkillRuntime } from './skill-runtime';

/** What the host of a store supplies. */
export interface AttemptHost {
  runRecord(run: string): Promise<Result<RunRecord, RailyardError>>;
  compiledFactory(hash: string): Promise<Result<CompiledFactory, RailyardError>>;
  /**
   * What a block left in the previous completed run with the same parameters as this run; none where there is none.
   * A host without it has no memory of earlier runs.
   */
  previousArtifacts?(run: string, block: string): Promise<readonly ArtifactRef[]>;
  /** The folder of one attempt: outside of the workspace, and of nobody else. */
  attemptDir(run: string, block: string, attempt: number): string;
  readonly store: ContentStore;
  readonly ledger: Pick<ActivityLedger, 'record' | 'read'>;
  readonly runtime: SkillRuntime;
  readonly skillDirs: readonly string[];
  /** Names of the environment variables that blocks may ask for. */
  readonly envAllow: readonly string[];
}

const HEARTBEAT_MS = 1_000;
/** Between tries to append an outcome: the skill has done its work, and is not to do it again for a busy disk. */
const APPEND_AGAIN_MS = { least: 100, most: 10_000 };
/** In the attempt's folder. */
export const PREVIOUS_RUN = 'previous-run';

/** The activities of a skill worker. */
export function createAttemptActivities(host: AttemptHost): AttemptActivities {
  return {
    runAttempt: async (call) => {
      const dir = host.attemptDir(call.run, call.block, call.attempt);
      const pulse = startPulse(Context.current());
      try {
        return await once(host, call, dir, pulse);
      } catch (error) {
        throw thrown(error, [dir, host.store.root]);
      } finally {
        pulse.stop();
      }
    },
  };
}

/** The end of the attempt as the ledger has it, or that of an execution now. */
async function once(host: AttemptHost, call: AttemptCall, dir: string, pulse: Pulse): Promise<Fact | null> {
  const record = orThrow(await host.runRecord(call.run));
  const compiled = orThrow(await host.compiledFactory(call.factoryHash));
  mkdirSync(dir, { recursive: true });
  const lock = AttemptLock.take(dir);
  if (!lock) throw busy(dir);
  try {
    const known = await host.ledger.read(call);
    if (known.isErr()) throw ledgerFailure(known.error);
    const end = endOf(call, known.value);
    if (end) return end;
    await reapAttempt(dir);
    return await append(host, call, await execute(host, call, record, compiled, dir, pulse));
  } finally {
    lock.release();
  }
}

/** The fact that this attempt has ended, if it is among these. Whoever started it has seen none. */
const endOf = ({ block, attempt }: AttemptCall, facts: readonly Fact[]): Fact | null =>
  facts.find(
    ({ event }) => event.type === 'attempt-finished' && event.block === block && event.attempt === attempt,
  ) ?? null;

/** Append the outcome, however long it takes, unless the run is lost or the worker stops. */
async function append(host: AttemptHost, call: AttemptCall, outcome: AttemptOutcome): Promise<Fact | null> {
  const { run, epoch, seen, block, attempt } = call;
  const event = { type: 'attempt-finished', block, attempt, outcome } as const;
  for (let wait = APPEND_AGAIN_MS.least; ; wait = Math.min(2 * wait, APPEND_AGAIN_MS.most)) {
    const recorded = await host.ledger.record({ run, epoch, seen, proposals: [event] });
    if (recorded.isOk()) return endOf(call, recorded.value.facts);
    if (isLost(recorded.error)) throw ledgerFailure(recorded.error);
    const { cancellationSignal } = Context.current();
    if (cancellationSignal.aborted) onlyIfAskedFor();
    await sleep(wait);
  }
}

async function execute(
  host: AttemptHost,
  input: AttemptCall,
  record: RunRecord,
  compiled: CompiledFactory,
  dir: string,
  pulse: Pulse,
): Promise<AttemptOutcome> {
  const { store, runtime, skillDirs, envAllow } = host;
  const prepared = orThrow(
    await prepareAttempt(input, record, compiled, store, {
      artifacts: async (block) => (await host.previousArtifacts?.(input.run, block)) ?? [],
      dir: join(dir, PREVIOUS_RUN),
    }),
  );
  const { block, request } = prepared;
  const env = declaredEnv(block.env, envAllow, process.env);
  const { cancellationSignal } = Context.current();
  const ended = await runtime.run(
    { request, dir, skillDirs, env, timeoutMs: block.timeoutMs, onStart: pulse.setPid },
    cancellationSignal,
  );
  if (ended.kind === 'cancelled') onlyIfAskedFor();
  return presentable(await judgeAttempt(ended, prepared, store, runtime.name), new Secrets(env));
}

/**
 * A skill was stopped: that is the attempt's outcome only where somebody asked for it. A worker that shuts down, or an
 * execution that Temporal has given up (a lost heartbeat, a reset), leaves the outcome to the next execution.
 */
function onlyIfAskedFor(): void {
  const { cancellationSignal, cancellationDetails } = Context.current();
  // The SDK aborts with a CancelledFailure whose message is the reason.
  const reason = cancellationSignal.reason as CancelledFailure;
  if (cancellationDetails?.cancelRequested === true || reason.message === 'CANCELLED') return;
  throw reason.message === 'WORKER_SHUTDOWN' ? handedBack() : reason;
}

interface Pulse {
  readonly setPid: (pid: number) => void;
  readonly stop: () => void;
}

/**
 * Tell Temporal every second that we live; its answer is how a cancel gets here. The first word comes after a second:
 * before that Temporal does not miss it, and many attempts are over by then.
 */
function startPulse(context: Context): Pulse {
  let pid: number | null = null;
  const beat = (): void => context.heartbeat({ pid });
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    setPid: (started) => {
      pid = started;
    },
    stop: () => clearInterval(timer),
  };
}

function orThrow<T>(result: Result<T, RailyardError>): T {
  if (result.isErr()) throw failureOf(result.error);
  return result.value;
}
