/**
 * Drives one run: feeds events to the walk, which is pure, and does what the walk says. Every event is applied at once
 * and whole, before anything is awaited: of a decision, a deadline and a cancel that come together, the first to arrive
 * wins and the others hear of it.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Result } from 'neverthrow';
import type { RailyardError } from '../src/errors';
import type { AttemptActivities, AttemptInput } from '../src/factory/attempt';
import type { AttemptOutcome, RunState } from '../src/factory/run-state';
import type { Answer, Effect, Step, WalkEvent } from '../src/factory/walk/events';
import { apply, startRun } from '../src/factory/walk/machine';
import { attemptInput } from '../src/factory/walk/attempt-input';
import { fits } from '../src/factory/walk/fit-state';
import type { FactoryRunInput } from './messages';

/** Beyond the block's own time-out, which the activity keeps itself: time to end the process and take stock. */
const TIMEOUT_MARGIN_MS = 60_000;
/** A worker that has not been heard of for so long is dead; the attempt starts again elsewhere. */
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** Temporal ends a run at 51,200 events or 50 MB. The limits of the first are the run's input, these of the second. */
const CONTINUE_AT_BYTES = 10_000_000;
const DRAIN_AT_BYTES = 30_000_000;

const NEVER_STARTED: AttemptOutcome = {
  kind: 'failed',
  failure: 'cancelled',
  error: 'The attempt was cancelled before it started',
  metrics: {},
};

const KEY = { attempt: (block: string): string => `attempt ${block}` };

export class Walker {
  private current: RunState;
  /** What is under way and can be stopped: attempts by block, gate timers by block and gate. */
  private readonly scopes = new Map<string, CancellationScope>();
  private attempts = 0;
  /** Starts that wait for the next execution of this workflow, which begins with a short history. */
  private draining = false;
  private large: boolean | null = null;

  constructor(private readonly input: FactoryRunInput) {
    if (input.state) {
      this.current = input.state;
      this.takeUp();
    } else {
      const step = startRun(input.plan, input, Date.now());
      this.current = step.state;
      this.perform(step.effects);
    }
  }

  get state(): RunState {
    return this.current;
  }

  /** Feed one event. A refusal changes nothing. */
  feed(event: WalkEvent): Result<Answer, RailyardError> {
    return apply(this.input.plan, this.current, event, Date.now()).map((step: Step) => {
      this.current = step.state;
      this.perform(step.effects);
      return step.answer;
    });
  }

  /** Is the history long, and is this a moment to go on with a fresh one? */
  get mayContinueAsNew(): boolean {
    const { historyLength, historySize } = workflowInfo();
    const long = historyLength >= this.input.limits.continueAt || historySize >= CONTINUE_AT_BYTES;
    return long && this.attempts === 0 && !this.tooLarge();
  }

  /** A state that cannot be carried over stays where it is. Looked at once: it only grows. */
  private tooLarge(): boolean {
    this.large ??= !fits(this.current);
    return this.large;
  }

  private perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.type) {
        case 'start-attempt':
          this.startAttempt(effect.block, effect.attempt);
          break;
        case 'cancel-attempt':
          this.cancelAttempt(effect.block, effect.attempt);
          break;
        case 'start-gate-timer':
          this.startGateTimer(effect, effect.afterMs);
          break;
        case 'stop-gate-timer':
          this.stop(timerKey(effect));
          break;
        case 'start-tick-timer':
          this.startTickTimer(effect.block, effect.due, effect.afterMs);
          break;
      }
    }
  }

  /** Go on where an earlier execution stopped: no attempt was under way, timers were dropped. */
  private takeUp(): void {
    const { blocks, gates } = this.current;
    for (const { id } of this.input.plan.blocks) {
      const block = blocks[id];
      if (block?.status === 'running') this.startAttempt(id, block.attempt);
      if (block?.tick) this.startTickTimer(id, block.tick, Math.max(1, Date.parse(block.tick) - Date.now()));
    }
    for (const opening of gates) {
      if (opening.outcome || opening.deadline === null || opening.overdue) continue;
      this.startGateTimer(opening, Math.max(1, Date.parse(opening.deadline) - Date.now()));
    }
  }

  private startAttempt(block: string, attempt: number): void {
    const { historyLength, historySize } = workflowInfo();
    const full = historyLength >= this.input.limits.drainAt || historySize >= DRAIN_AT_BYTES;
    this.draining ||= full && !this.tooLarge();
    if (this.draining) return;
    this.attempts += 1;
    const { run, plan } = this.input;
    const input = attemptInput(plan, this.current, run, block);
    this.start(KEY.attempt(block), async () => {
      const outcome = await this.execute(input);
      this.attempts -= 1;
      this.feed({ type: 'attempt-finished', block, attempt, outcome });
    });
  }

  private async execute(input: AttemptInput): Promise<AttemptOutcome> {
    const planned = this.input.plan.blocks.find(({ id }) => id === input.block);
    const { runAttempt } = proxyActivities<AttemptActivities>({
      startToCloseTimeout: (planned?.timeoutMs ?? 0) + TIMEOUT_MARGIN_MS,
      heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
      // Infrastructure only, so without an end: what a skill does wrong is an outcome, not a thrown error.
      retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    });
    try {
      return await runAttempt(input);
    } catch (error) {
      const failed = (failure: 'error' | 'cancelled', text: string): AttemptOutcome => ({
        kind: 'failed',
        failure,
        error: text,
        metrics: {},
      });
      if (isCancellation(error)) return failed('cancelled', 'The attempt was cancelled');
      // A time-out of an attempt that was told to stop: its worker is gone, and nobody tries again.
      if (this.current.status === 'cancelling')
        return failed('cancelled', 'The attempt ended with its worker');
      const cause = error instanceof ActivityFailure ? error.cause : error;
      if (cause instanceof ApplicationFailure) return failed('error', cause.message);
      return failed('error', cause instanceof Error ? cause.message : String(cause));
    }
  }

  private startGateTimer(gate: GateRef, afterMs: number): void {
    const { block, gate: kind, attempt } = gate;
    this.start(timerKey(gate), async () => {
      await sleep(afterMs);
      this.feed({ type: 'gate-timeout', block, gate: kind, attempt });
    });
  }

  private startTickTimer(block: string, due: string, afterMs: number): void {
    this.start(`tick ${block} ${due}`, async () => {
      await sleep(afterMs);
      this.feed({ type: 'tick', block, due });
    });
  }

  /** Run something in a scope of its own until it ends or is stopped. */
  private start(key: string, work: () => Promise<void>): void {
    const scope = new CancellationScope();
    this.scopes.set(key, scope);
    scope
      .run(work)
      .catch((error: unknown) => {
        // A stopped timer ends here. Anything else is a bug: it fails the workflow task, and a mended build goes on.
        if (!isCancellation(error)) throw error;
      })
      .finally(() => {
        if (this.scopes.get(key) === scope) this.scopes.delete(key);
      });
  }

  private cancelAttempt(block: string, attempt: number): void {
    const scope = this.scopes.get(KEY.attempt(block));
    if (scope) scope.cancel();
    // One that waits for the next execution has nothing to stop, and nobody else would report it.
    else this.feed({ type: 'attempt-finished', block, attempt, outcome: NEVER_STARTED });
  }

  private stop(key: string): void {
    this.scopes.get(key)?.cancel();
  }
}

type GateRef = Pick<Extract<Effect, { type: 'stop-gate-timer' }>, 'block' | 'gate' | 'attempt'>;

const timerKey = ({ block, gate, attempt }: GateRef): string => `timer ${gate} ${block} ${attempt}`;
