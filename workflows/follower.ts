/**
 * A run as its ledger tells it. The state is changed only by facts, each applied once, in the order of the ledger; what
 * happens here (a decision, a deadline, a cancel) is proposed, judged in the store, and counts when it comes back.
 *
 * Facts arrive from three sides: as the answer to a proposal, as the end of an attempt, which its activity appended
 * itself, and by reading. One that comes before its turn is kept until those before it are there. One coroutine talks to
 * the ledger: it proposes all that waits in one call, and reads where there is a gap or somebody rang the bell.
 */
import { condition } from '@temporalio/workflow';
import { ok, type Result } from 'neverthrow';
import type { RailyardError } from '../src/errors';
import type { RunState } from '../src/factory/run-state';
import type { Effect, Step, WalkEvent } from '../src/factory/walk/events';
import { isDue, standingEffects } from '../src/factory/walk/due';
import { apply, startRun } from '../src/factory/walk/machine';
import { textBytes } from '../src/factory/walk/text-bytes';
import type { Fact, Judged, LedgerCall } from '../src/ledger/facts';
import type { Page } from '../src/ledger/run-activities';
import { askLedger } from './ledger-calls';
import type { FactoryRunInput } from './messages';

/** Of the proposals of one call: they come back as facts, and Temporal carries no message over 2 MB. */
const MAX_CALL_BYTES = 500_000;

interface Proposal {
  readonly event: WalkEvent;
  readonly answer: (judged: Judged) => void;
}

export class Follower {
  private current: RunState | null = null;
  /** How many facts are applied, and how many there are as far as we have heard. */
  private seen = 0;
  private head = 0;
  private readonly early = new Map<number, Fact>();
  private proposals: Proposal[] = [];
  private rung = false;
  private talking = false;
  private refusal: RailyardError | null = null;

  constructor(
    private readonly input: FactoryRunInput,
    /** Does what a step asks for. */
    private readonly perform: (effects: readonly Effect[]) => void,
  ) {}

  /** Take up the run: at its start, or from where it stands in the store. */
  async begin(): Promise<void> {
    const { from, plan, startedAt } = this.input;
    if (from === 'start') {
      const step = startRun(plan, this.input, startedAt);
      this.current = step.state;
      this.enact([{ step, at: startedAt }]);
    } else {
      const standing = await askLedger((ledger) => ledger.readStanding(this.place));
      if (standing.isErr()) {
        this.lose(standing.error);
        return;
      }
      this.current = standing.value.state;
      this.seen = this.head = standing.value.seen;
      this.perform(standingEffects(plan, standing.value.state, Date.now()));
    }
    void this.talk();
  }

  /** Is it known where the run stands? */
  get hasState(): boolean {
    return this.current !== null;
  }

  get state(): RunState {
    if (this.current === null) throw new Error('The run is being taken up from the store');
    return this.current;
  }

  /** Why this run is not ours any more; null: it is. */
  get lost(): RailyardError | null {
    return this.refusal;
  }

  /** Is everything said and everything heard? */
  get idle(): boolean {
    return !this.talking && !this.hasWork();
  }

  /** Where we are, as the ledger wants to know it. */
  get place(): LedgerCall {
    return { run: this.input.run, epoch: this.input.epoch, seen: this.seen };
  }

  /** Have an event judged. The answer comes when it is in the store, or was refused. */
  propose(event: WalkEvent): Promise<Judged> {
    if (this.refusal) return Promise.resolve({ ok: false, error: this.refusal });
    return new Promise((answer) => this.proposals.push({ event, answer }));
  }

  /** There may be something new in the ledger. */
  ring(): void {
    this.rung = true;
  }

  /** Apply what is next in turn; keep what is early; what is known already is nothing new. */
  adopt(facts: readonly Fact[], head = 0): void {
    for (const fact of facts) {
      if (fact.seq >= this.seen) this.early.set(fact.seq, fact);
      this.head = Math.max(this.head, fact.seq + 1);
    }
    this.head = Math.max(this.head, head);
    const steps: Dated[] = [];
    for (let fact = this.early.get(this.seen); fact; fact = this.early.get(this.seen)) {
      this.early.delete(fact.seq);
      const step = this.apply(fact);
      this.current = step.state;
      this.seen += 1;
      steps.push({ step, at: fact.at });
    }
    this.enact(steps);
  }

  /** The run is not ours any more: nothing is said or heard from now on. */
  lose(error: RailyardError): void {
    this.refusal ??= error;
    for (const { answer } of this.proposals.splice(0)) answer({ ok: false, error: this.refusal });
  }

  /** Do what steps asked for, as far as later ones have not overtaken it. */
  private enact(steps: readonly Dated[]): void {
    const now = Date.now();
    const effects = steps.flatMap(({ step, at }) => step.effects.map((effect) => aged(effect, now - at)));
    this.perform(effects.filter((effect) => isDue(this.input.plan, this.state, effect)));
  }

  private apply({ seq, at, event }: Fact): Step {
    const step = apply(this.input.plan, this.state, event, at);
    // The ledger has applied it to the same state by the same code; a version that cannot must not go on.
    if (step.isErr()) throw new Error(`Bug: fact ${seq} was accepted and is refused: ${step.error.message}`);
    return step.value;
  }

  private hasWork(): boolean {
    return this.proposals.length > 0 || this.rung || this.head > this.seen;
  }

  private async talk(): Promise<void> {
    for (;;) {
      // Looked at when everything of an activation is done: a gap that it fills itself is none.
      await condition(() => this.refusal === null && this.hasWork());
      this.talking = true;
      const talked = this.proposals.length > 0 ? await this.say() : await this.listen();
      this.talking = false;
      if (talked.isErr()) this.lose(talked.error);
    }
  }

  private async say(): Promise<Result<void, RailyardError>> {
    const batch = this.takeBatch();
    this.rung = false;
    const proposals = batch.map(({ event }) => event);
    const recorded = await askLedger((ledger) => ledger.recordFacts({ ...this.place, proposals }));
    if (recorded.isErr()) {
      for (const { answer } of batch) answer({ ok: false, error: recorded.error });
      return recorded.map(() => undefined);
    }
    this.adoptPage(recorded.value);
    for (const [index, judged] of recorded.value.judged.entries()) batch[index]?.answer(judged);
    return ok();
  }

  private async listen(): Promise<Result<void, RailyardError>> {
    this.rung = false;
    const before = this.seen;
    const read = (await this.read(before)).map((page) => this.adoptPage(page));
    if (read.isErr() || this.head === this.seen || this.seen > before) return read;
    // Somebody had a fact that the ledger does not have any more: let it hear so, and say that it is an old copy.
    return (await this.read(this.head)).map((page) => this.adoptPage(page));
  }

  private read(seen: number): Promise<Result<Page, RailyardError>> {
    return askLedger((ledger) => ledger.readFacts({ ...this.place, seen }));
  }

  private adoptPage({ facts, head }: Page): void {
    this.adopt(facts, head);
  }

  private takeBatch(): Proposal[] {
    let bytes = 0;
    const fitting = this.proposals.findIndex(({ event }, index) => {
      bytes += textBytes(JSON.stringify(event));
      return index > 0 && bytes > MAX_CALL_BYTES;
    });
    return this.proposals.splice(0, fitting === -1 ? this.proposals.length : fitting);
  }
}

interface Dated {
  readonly step: Step;
  readonly at: number;
}

/** An effect of a while ago: what is left of its time. */
function aged(effect: Effect, ageMs: number): Effect {
  return 'afterMs' in effect ? { ...effect, afterMs: Math.max(1, effect.afterMs - ageMs) } : effect;
}
