/**
 * Executes attempts. One attempt has one outcome: it is written to the attempt's folder before anybody hears of it, and
 * an attempt that has one is not executed again, whoever asks and how often. Until then everything may be repeated:
 * what a killed execution left running is ended, inputs are put back, outputs are cleared.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Context, type CancelledFailure } from '@temporalio/activity';
import { type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { type AttemptActivities, type AttemptInput, type RunRecord } from '../src/factory/attempt';
import { type CompiledFactory } from '../src/factory/compile';
import { type ArtifactRef, type AttemptOutcome } from '../src/factory/run-state';
import { type ContentStore } from '../src/sandbox';
import { busy, failureOf, handedBack, thrown } from './failures';
import { judgeAttempt, presentable } from './judge-attempt';
import { OutcomeFile } from './outcome-file';
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
  readonly runtime: SkillRuntime;
  readonly skillDirs: readonly string[];
  /** Names of the environment variables that blocks may ask for. */
  readonly envAllow: readonly string[];
}

const HEARTBEAT_MS = 1_000;
/** In the attempt's folder. */
const PREVIOUS_RUN = 'previous-run';

/** The activities of a skill worker. */
export function createAttemptActivities(host: AttemptHost): AttemptActivities {
  return {
    runAttempt: async (input) => {
      const dir = host.attemptDir(input.run, input.block, input.attempt);
      const pulse = startPulse(Context.current());
      try {
        return await once(host, input, dir, pulse);
      } catch (error) {
        throw thrown(error, [dir, host.store.root]);
      } finally {
        pulse.stop();
      }
    },
  };
}

/** The recorded outcome, or the one of an execution now. */
async function once(
  host: AttemptHost,
  input: AttemptInput,
  dir: string,
  pulse: Pulse,
): Promise<AttemptOutcome> {
  mkdirSync(dir, { recursive: true });
  const file = OutcomeFile.open(dir);
  if (!file) throw busy(dir);
  try {
    const recorded = file.read();
    if (recorded) return recorded;
    await reapAttempt(dir);
    const outcome = await execute(host, input, dir, pulse);
    file.record(outcome);
    return outcome;
  } finally {
    file.close();
  }
}

async function execute(
  host: AttemptHost,
  input: AttemptInput,
  dir: string,
  pulse: Pulse,
): Promise<AttemptOutcome> {
  const { store, runtime, skillDirs, envAllow } = host;
  const record = orThrow(await host.runRecord(input.run));
  const compiled = orThrow(await host.compiledFactory(input.factoryHash));
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
