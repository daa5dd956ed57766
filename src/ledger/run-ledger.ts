/**
 * The ledger of a store's factory runs. Events are judged against the run as it stands in the store, under its session's lock,
 * and become facts or are refused; whoever drives the run follows. Calls that wait for the same run are judged together and
 * become one segment.
 *
 * What a plan refers to is written before the lock is taken; a session that has grown meanwhile is read and judged again.
 */
import { err, ok, type Result } from 'neverthrow';
import { type JsonObject } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { type CompiledFactory } from '../factory/compile';
import { type WalkPlan } from '../factory/plan';
import { apply, type Answer, type WalkEvent } from '../factory/walk';
import { checkContext, type SessionId } from '../workrail/model';
import { auditOf, type RunAudit } from './audit';
import { begin, frameOf, type RunFold, type RunFrame } from './fold';
import { Composition } from './compose';
import {
  type Fact,
  type Judged,
  type LedgerCall,
  type Recorded,
  type RecordRequest,
  type Standing,
} from './facts';
import { COMPOSED_TRIES, startPlan, takeOverPlan } from './opening';
import { type AgentWorkflows } from './pinned';
import { RunShelf, type LedgerPorts, type Read } from './run-shelf';

/** What a run is started with. */
export interface RunStart {
  readonly run: string;
  readonly sessionId: SessionId;
  readonly compiled: CompiledFactory;
  readonly factoryHash: string;
  readonly plan: WalkPlan;
  readonly parameters: JsonObject;
  readonly startedBy: string;
  readonly workspace: string;
  /** Of the skills that agents perform; absent: every block is one step. */
  readonly agents?: AgentWorkflows;
}

/** Who takes a run over. */
export interface NewDriver {
  readonly workflowId: string;
  readonly by: string;
  readonly restartDeadlines: boolean;
}

type Answered<T> = Promise<Result<T, RailyardError>>;

/** A call that waits for its turn. */
interface Waiting {
  readonly request: RecordRequest;
  readonly resolve: (answer: Result<Recorded, RailyardError>) => void;
}

/** Judged and not yet appended. */
interface Judgement {
  readonly fold: RunFold;
  readonly composed: readonly Composition[];
  readonly judged: readonly Judged[];
}

export class RunLedger {
  /** What is known of the runs of this store. */
  readonly shelf: RunShelf;
  private readonly waiting = new Map<string, Waiting[]>();
  /** How many facts of a run whoever drives it has been told of, by this ledger. */
  private readonly told = new Map<string, number>();

  constructor(private readonly ports: LedgerPorts) {
    this.shelf = new RunShelf(ports);
  }

  /** Write down that a run starts. Once: a start that is tried again finds the run as it was started. */
  async begin(start: RunStart): Answered<{ readonly startedAt: number; readonly epoch: number }> {
    const parameters = checkContext(start.parameters);
    if (parameters.isErr()) {
      return err(
        problem('INPUT_INVALID', `The parameters of the run cannot be kept: ${parameters.error.kind}.`),
      );
    }
    const frame = frameOf({ agents: {}, ...start });
    const at = this.ports.minting.nowMs();
    const { fold, step } = begin(frame, start.startedBy, at);
    const composition = startPlan(frame, fold, step, at, start, this.shelf.composer(frame));
    const kept = await this.shelf.keep([composition]);
    if (kept.isErr()) return err(kept.error);
    const appended = await this.ports.sessions.withSession(start.sessionId, (_session, witness) =>
      this.ports.sessions.append(witness, [composition.finish().plan]),
    );
    if (appended.isErr()) return err(appended.error);
    const there = await this.shelf.read(start.run);
    return there.map(({ fold: { startedAt, driver } }) => ({ startedAt, epoch: driver.epoch }));
  }

  /** Judge events and append those that change the run. */
  record(request: RecordRequest): Answered<Recorded> {
    return new Promise((resolve) => {
      const line = this.waiting.get(request.run);
      if (line) {
        line.push({ request, resolve });
        return;
      }
      this.waiting.set(request.run, [{ request, resolve }]);
      void this.serve(request.run);
    });
  }

  /** What is new since a caller looked. */
  async read(call: LedgerCall): Answered<readonly Fact[]> {
    const read = await this.shelf.read(call.run);
    return read.andThen(({ fold }) => {
      const refused = refusedCall(fold, call);
      if (refused) return err(refused);
      this.told.set(call.run, fold.facts.length);
      return ok(fold.facts.slice(call.seen));
    });
  }

  /**
   * Does the store have facts that its driver has not been told of by this ledger? An agent of another process has appended
   * them, or this ledger is new.
   */
  async hasNews(run: string): Answered<boolean> {
    const read = await this.shelf.read(run);
    return read.map(({ fold: { facts, state } }) => {
      const over = state.status === 'completed' || state.status === 'cancelled';
      return !over && facts.length > (this.told.get(run) ?? 0);
    });
  }

  /** Where a run stands, for whoever wants to know. */
  async standing(
    run: string,
  ): Answered<Standing & { readonly epoch: number; readonly startedAt: number; readonly plan: WalkPlan }> {
    const read = await this.shelf.read(run);
    return read.map(({ frame, fold: { state, facts, driver, startedAt } }) => ({
      state,
      seen: facts.length,
      epoch: driver.epoch,
      startedAt,
      plan: frame.plan,
    }));
  }

  /** Who decided what in a run, and everything else that became of it. */
  async audit(run: string): Answered<RunAudit> {
    const read = await this.shelf.read(run);
    if (read.isErr()) return err(read.error);
    const { frame, fold, eventCount } = read.value;
    const loaded = await this.ports.sessions.load(frame.sessionId);
    // The session may have grown since.
    return loaded.map((session) => auditOf(frame, fold, session.events().slice(0, eventCount)));
  }

  /** Drive the run from here on: whoever drove it until now is refused from the next append on. */
  async takeOver(
    run: string,
    driver: NewDriver,
  ): Answered<{ readonly epoch: number; readonly startedAt: number }> {
    for (let tries = 0; tries < COMPOSED_TRIES; tries += 1) {
      const read = await this.shelf.read(run);
      if (read.isErr()) return err(read.error);
      const { frame, fold } = read.value;
      const epoch = fold.driver.epoch + 1;
      const event: WalkEvent = {
        type: 'taken-over',
        epoch,
        by: driver.by,
        restartDeadlines: driver.restartDeadlines,
      };
      const at = this.shelf.timeAfter(fold);
      const step = apply(frame.plan, fold.state, event, at);
      if (step.isErr()) return err(step.error);
      const composer = this.shelf.composer(frame);
      const composition = takeOverPlan(frame, fold, step.value, at, event, driver.workflowId, composer);
      const kept = await this.shelf.keep([composition]);
      if (kept.isErr()) return err(kept.error);
      const done = await this.shelf.appendIfSame(read.value, () => ok([composition.finish().plan]));
      if (done.isErr()) return err(done.error);
      if (done.value) return ok({ epoch, startedAt: fold.startedAt });
    }
    return err(busy(run));
  }

  /** Serve everybody who waits for a run, as many at once as there are. */
  private async serve(run: string): Promise<void> {
    for (;;) {
      const line = this.waiting.get(run) ?? [];
      if (line.length === 0) {
        this.waiting.delete(run);
        return;
      }
      this.waiting.set(run, []);
      const answers = await this.judgeAll(
        run,
        line.map(({ request }) => request),
      );
      for (const [place, { resolve }] of line.entries()) resolve(answers[place] ?? err(busy(run)));
    }
  }

  private async judgeAll(
    run: string,
    requests: readonly RecordRequest[],
  ): Promise<readonly Result<Recorded, RailyardError>[]> {
    for (let tries = 0; tries < COMPOSED_TRIES; tries += 1) {
      const read = await this.shelf.read(run);
      if (read.isErr()) return requests.map(() => err(read.error));
      const tried = await this.tryAll(read.value, requests);
      if (tried.isErr()) return requests.map(() => err(tried.error));
      if (tried.value) return tried.value;
    }
    return requests.map(() => err(busy(run)));
  }

  /** Judge and append; null: the session has grown meanwhile. */
  private async tryAll(
    read: Read,
    requests: readonly RecordRequest[],
  ): Answered<readonly Result<Recorded, RailyardError>[] | null> {
    const { frame } = read;
    const sized = await this.shelf.measure(
      frame,
      requests.flatMap(({ proposals }) => proposals),
    );
    if (sized.isErr()) return err(sized.error);
    let fold = read.fold;
    const composed: Composition[] = [];
    const answers: Result<readonly Judged[], RailyardError>[] = [];
    for (const request of requests) {
      const refused = refusedCall(fold, request);
      if (refused) {
        answers.push(err(refused));
        continue;
      }
      const judgement = this.judge(frame, fold, request.proposals);
      fold = judgement.fold;
      composed.push(...judgement.composed);
      answers.push(ok(judgement.judged));
    }
    if (composed.length > 0) {
      const kept = await this.shelf.keep(composed);
      if (kept.isErr()) return err(kept.error);
      const done = await this.shelf.appendIfSame(read, () => ok(composed.map((one) => one.finish().plan)));
      if (done.isErr()) return err(done.error);
      if (!done.value) return ok(null);
      this.shelf.adopt(read, fold, done.value.eventCount);
    }
    this.told.set(frame.run, fold.facts.length);
    return ok(
      answers.map((answer, place) =>
        answer.map((judged) => ({ judged, facts: fold.facts.slice(requests[place]?.seen ?? 0) })),
      ),
    );
  }

  private judge(frame: RunFrame, from: RunFold, proposals: readonly WalkEvent[]): Judgement {
    let fold = from;
    const composed: Composition[] = [];
    const judged = proposals.map((event): Judged => {
      const at = this.shelf.timeAfter(fold, event);
      const heard = agentHeardOf(frame, fold, event, at);
      if (heard) return { ok: true, answer: heard };
      const applied = apply(frame.plan, fold.state, event, at);
      if (applied.isErr()) return { ok: false, error: applied.error };
      const step = applied.value;
      // It came too late to matter, or is known already: no fact.
      if (step.state === fold.state) return { ok: true, answer: step.answer };
      const composition = new Composition(frame, fold, step, at, this.shelf.composer(frame)).write(event);
      composed.push(composition);
      fold = composition.after(event);
      return { ok: true, answer: step.answer };
    });
    return { fold, composed, judged };
  }
}

/** Why a caller is not served; null: it is. */
function refusedCall(fold: RunFold, { epoch, seen, run }: LedgerCall): RailyardError | null {
  if (epoch < fold.driver.epoch) {
    const message = `The run "${run}" is driven by epoch ${fold.driver.epoch}; this was epoch ${epoch}.`;
    return problem('SUPERSEDED', message, { details: { epoch: fold.driver.epoch } });
  }
  if (seen > fold.facts.length || epoch > fold.driver.epoch) {
    const message = `The store has ${fold.facts.length} facts of the run "${run}"; its workflow has seen ${seen}.`;
    return problem('STORE_BEHIND', message, { details: { facts: fold.facts.length, seen } });
  }
  return null;
}

/**
 * The time-out of a block that agents perform counts from its beginning, and again from each step of an agent; the
 * workflow, which knows of the first alone, asks too early. Null: it does not.
 */
function agentHeardOf({ plan }: RunFrame, { places }: RunFold, event: WalkEvent, at: number): Answer | null {
  if (event.type !== 'attempt-finished' || event.outcome.kind !== 'failed') return null;
  const planned = plan.blocks.find(({ id }) => id === event.block);
  const touchedAt = places[event.block]?.touchedAt;
  if (event.outcome.failure !== 'timeout' || planned?.performer !== 'agent' || touchedAt === undefined)
    return null;
  const until = touchedAt + planned.timeoutMs;
  return at < until ? { kind: 'ignored', why: 'An agent has been heard of', until } : null;
}

const busy = (run: string): RailyardError =>
  problem('SESSION_LOCKED', `Others keep writing to the run "${run}".`);
