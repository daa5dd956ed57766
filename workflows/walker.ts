/**
 * Drives one run: follows its ledger, and does what the walk asks for, attempts and timers. What comes of them goes to
 * the ledger first: of a decision, a deadline and a cancel that come together, the first one it has recorded wins, and
 * the others hear of it.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { RailyardError } from '../src/errors';
import type { PlannedBlock } from '../src/factory/plan';
import type { AttemptOutcome, RunState } from '../src/factory/run-state';
import type { Effect, WalkEvent } from '../src/factory/walk/events';
import { attemptInput } from '../src/factory/walk/attempt-input';
import { carried, fits } from '../src/factory/walk/fit-state';
import { indexOf } from '../src/factory/walk/plan-index';
import type { Judged } from '../src/ledger/facts';
import { isLost } from '../src/ledger/lost';
import type { AgentActivities, AttemptActivities, AttemptCall } from '../src/ledger/run-activities';
import { Follower } from './follower';
import { refusalIn } from './ledger-calls';
import type { FactoryRunInput } from './messages';

/** Beyond the block's own time-out, which the activity keeps itself: time to end the process and take stock. */
const TIMEOUT_MARGIN_MS = 60_000;
/** A worker that has not been heard of for so long is dead; the attempt starts again elsewhere. */
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** So long skills have to end when the run is lost; those of a dead worker do not answer at all. */
const HALT_MS = 10_000;
/** Inputs are put in place by digest; large ones take a while. */
const PREPARE_MS = 600_000;

/** Temporal ends a run at 51,200 events or 50 MB. The limits of the first are the run's input, these of the second. */
const CONTINUE_AT_BYTES = 10_000_000;
const DRAIN_AT_BYTES = 30_000_000;

const failed = (failure: 'error' | 'timeout' | 'cancelled', error: string): AttemptOutcome => ({
  kind: 'failed',
  failure,
  error,
  metrics: {},
});

export class Walker {
  private readonly follower: Follower;
  /** What is under way and can be stopped: attempts, gate timers, ticks. */
  private readonly scopes = new Map<string, CancellationScope>();
  /** Skills that are at work. */
  private skills = 0;
  /** Starts that wait for the next execution of this workflow, which begins with a short history. */
  private draining = false;
  private large: boolean | null = null;

  constructor(private readonly input: FactoryRunInput) {
    this.follower = new Follower(input, (effects) => this.perform(effects));
  }

  /** Take the run up. */
  begin(): Promise<void> {
    return this.follower.begin();
  }

  get hasState(): boolean {
    return this.follower.hasState;
  }

  get state(): RunState {
    return this.follower.state;
  }

  /** Why the run is not ours any more; null: it is. */
  get lost(): RailyardError | null {
    return this.follower.lost;
  }

  /** Have an event judged by the ledger. A refusal changes nothing. */
  propose(event: WalkEvent): Promise<Judged> {
    return this.follower.propose(event);
  }

  /** Somebody else has appended to the ledger. */
  ring(): void {
    this.follower.ring();
  }

  /** Is the history long, and is this a moment to go on with a fresh one? */
  get mayContinueAsNew(): boolean {
    const { historyLength, historySize } = workflowInfo();
    const long = historyLength >= this.input.limits.continueAt || historySize >= CONTINUE_AT_BYTES;
    return long && this.skills === 0 && this.follower.idle && !this.tooLarge();
  }

  /** The run is lost: nothing more is started, and what runs is told to stop. */
  async halt(): Promise<void> {
    for (const scope of this.scopes.values()) scope.cancel();
    await condition(() => this.skills === 0, HALT_MS);
  }

  /** A state that the next execution could not read from the store stays where it is. Looked at once. */
  private tooLarge(): boolean {
    this.large ??= !fits(carried(this.input.plan, this.state));
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
          this.scopes.get(timerKey(effect))?.cancel();
          break;
        case 'start-tick-timer':
          this.startTickTimer(effect.block, effect.due, effect.afterMs);
          break;
      }
    }
  }

  private startAttempt(block: string, attempt: number): void {
    const planned = this.planned(block);
    if (planned.performer === 'agent') {
      this.awaitAgent(planned, attempt);
      return;
    }
    const { historyLength, historySize } = workflowInfo();
    const full = historyLength >= this.input.limits.drainAt || historySize >= DRAIN_AT_BYTES;
    this.draining ||= full && !this.tooLarge();
    if (this.draining) return;
    const { run, plan } = this.input;
    const call = { ...attemptInput(plan, this.state, run, block), ...this.follower.place };
    this.skills += 1;
    this.start(attemptKey(block, attempt), async () => {
      const outcome = await this.execute(call, planned);
      this.skills -= 1;
      if (outcome) await this.propose({ type: 'attempt-finished', block, attempt, outcome });
    });
  }

  /** Run the skill; its activity appends how it ends. Answers with an outcome where nobody else will append one. */
  private async execute(call: AttemptCall, { timeoutMs }: PlannedBlock): Promise<AttemptOutcome | null> {
    const { runAttempt } = proxyActivities<AttemptActivities>({
      startToCloseTimeout: timeoutMs + TIMEOUT_MARGIN_MS,
      heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
      // Infrastructure only, so without an end: what a skill does wrong is an outcome, not a thrown error.
      retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    });
    try {
      const fact = await runAttempt(call);
      if (fact) this.follower.adopt([fact]);
      else this.ring();
      return null;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal && isLost(refusal)) {
        this.follower.lose(refusal);
        return null;
      }
      if (isCancellation(error)) return failed('cancelled', 'The attempt was cancelled');
      // A time-out of an attempt that was told to stop: its worker is gone, and nobody tries again.
      if (this.state.status === 'cancelling') return failed('cancelled', 'The attempt ended with its worker');
      const cause = error instanceof ActivityFailure ? error.cause : error;
      return failed('error', cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** An agent performs this block and tells the ledger itself; ours is only to see that it does so in time. */
  private awaitAgent({ id: block, timeoutMs }: PlannedBlock, attempt: number): void {
    const since = Date.parse(this.state.blocks[block]?.started_at ?? '');
    const outcome = failed('timeout', `No agent finished the block within ${timeoutMs} ms`);
    const over = (): boolean => this.lost !== null || !this.isRunning(block, attempt);
    const { run, plan } = this.input;
    const call = { ...attemptInput(plan, this.state, run, block), ...this.follower.place };
    this.start(attemptKey(block, attempt), async () => {
      const unready = await this.prepare(call);
      if (unready) await this.propose({ type: 'attempt-finished', block, attempt, outcome: unready });
      let left = Math.max(1, since + timeoutMs - Date.now());
      while (!(await condition(over, left))) {
        const judged = await this.propose({ type: 'attempt-finished', block, attempt, outcome });
        // Ignored where an agent has been heard of meanwhile: its time counts anew from there.
        const until = judged.ok && judged.answer.kind === 'ignored' ? judged.answer.until : undefined;
        left = until === undefined ? timeoutMs : Math.max(1, until - Date.now());
      }
    });
  }

  /** Have the workspace made ready; answers with an outcome where that can never be. */
  private async prepare(call: AttemptCall): Promise<AttemptOutcome | null> {
    const { prepareForAgent } = proxyActivities<AgentActivities>({
      startToCloseTimeout: PREPARE_MS,
      retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
    });
    try {
      await prepareForAgent(call);
      return null;
    } catch (error) {
      if (isCancellation(error)) throw error;
      const cause = error instanceof ActivityFailure ? error.cause : error;
      return failed('error', cause instanceof Error ? cause.message : String(cause));
    }
  }

  private isRunning(id: string, attempt: number): boolean {
    const block = this.state.blocks[id];
    return block?.status === 'running' && block.attempt === attempt;
  }

  private startGateTimer({ block, gate, attempt }: GateRef, afterMs: number): void {
    this.start(timerKey({ block, gate, attempt }), async () => {
      await sleep(afterMs);
      await this.propose({ type: 'gate-timeout', block, gate, attempt });
    });
  }

  private startTickTimer(block: string, due: string, afterMs: number): void {
    this.start(`tick ${block} ${due}`, async () => {
      await sleep(afterMs);
      await this.propose({ type: 'tick', block, due });
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
    const agent = this.planned(block).performer === 'agent';
    const scope = this.scopes.get(attemptKey(block, attempt));
    // A skill reports its end itself. An agent is not waited for, and what never started has nobody to report it.
    if (scope && !agent) {
      scope.cancel();
      return;
    }
    const why = agent ? 'The attempt was taken back' : 'The attempt was cancelled before it started';
    void this.propose({ type: 'attempt-finished', block, attempt, outcome: failed('cancelled', why) });
  }

  private planned(block: string): PlannedBlock {
    const planned = indexOf(this.input.plan).blocks.get(block);
    if (!planned) throw new Error(`Bug: the plan has no block ${block}`);
    return planned;
  }
}

type GateRef = Pick<Extract<Effect, { type: 'stop-gate-timer' }>, 'block' | 'gate' | 'attempt'>;

const attemptKey = (block: string, attempt: number): string => `attempt ${attempt} ${block}`;
const timerKey = ({ block, gate, attempt }: GateRef): string => `timer ${gate} ${attempt} ${block}`;
