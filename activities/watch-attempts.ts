/** Attempts as those who run the service see them: when each begins and ends, and what it comes to. */
import { ApplicationFailure } from '@temporalio/activity';
import { type AttemptInput } from '../src/factory/attempt';
import { type FailureClass } from '../src/factory/run-state';
import { type AttemptActivities } from '../src/ledger';
import { type Log } from '../src/log';

/**
 * What an execution came to: the attempt's outcome; `handed_back` where the worker stopped; `busy` where another one is
 * at work; `overtaken` where the run has gone on without it; `refused` where it can never work; `trouble` of the machine,
 * which Temporal tries again.
 */
export type ExecutionOutcome =
  'succeeded' | FailureClass | 'handed_back' | 'busy' | 'overtaken' | 'refused' | 'trouble';

/** An execution that has ended. */
export interface AttemptEnd {
  readonly outcome: ExecutionOutcome;
  /** Of the block. */
  readonly type: string;
  readonly seconds: number;
}

export interface AttemptWatch {
  readonly log: Log;
  readonly onEnd: (end: AttemptEnd) => void;
  /** The type of the block of an attempt. */
  readonly typeOf: (input: AttemptInput) => string;
}

/** The same activities, watched. */
export function watchAttempts(activities: AttemptActivities, watch: AttemptWatch): AttemptActivities {
  return {
    runAttempt: async (input) => {
      const { run, block, attempt } = input;
      const about = { run, block, attempt };
      const start = performance.now();
      const end = (outcome: ExecutionOutcome, error: unknown): void => {
        const ms = Math.round(performance.now() - start);
        watch.onEnd({ outcome, type: watch.typeOf(input), seconds: ms / 1_000 });
        const level = outcome === 'trouble' || outcome === 'refused' ? 'warn' : 'info';
        const why = error === null ? {} : { error };
        watch.log.write(level, 'An attempt ended', { ...about, outcome, ms, ...why });
      };
      watch.log.write('info', 'An attempt began', about);
      try {
        const fact = await activities.runAttempt(input);
        const outcome = fact?.event.type === 'attempt-finished' ? fact.event.outcome : null;
        if (outcome?.kind === 'failed') end(outcome.failure, outcome.error);
        else end(outcome ? 'succeeded' : 'overtaken', null);
        return fact;
      } catch (error) {
        end(thrownAs(error), error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}

function thrownAs(error: unknown): ExecutionOutcome {
  if (!(error instanceof ApplicationFailure)) return 'trouble';
  if (error.type === 'WorkerShutdown') return 'handed_back';
  if (error.type === 'AttemptBusy') return 'busy';
  return error.nonRetryable === true ? 'refused' : 'trouble';
}
