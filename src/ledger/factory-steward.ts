/**
 * Factories among the sessions of agents. An agent may act where a block that agents perform is being executed, and nowhere
 * else: gates are for people, and what is closed stays closed. Its last step ends the attempt: what it delivers is judged by
 * the walk, and both are one plan. Of two agents on one block the first to finish has finished it.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { apply, type WalkEvent } from '../factory/walk';
import { attemptInput } from '../factory/walk/attempt-input';
import { type Advance, type Reason } from '../workrail/engine';
import {
  dedupeKeys,
  isComplete,
  pendingStep,
  type AppendPlan,
  type ExecutionSnapshot,
  type NodeId,
  type RunId,
} from '../workrail/model';
import { type Session } from '../workrail/ports';
import { sessionView } from '../workrail/projections';
import { type Steward, type Tended, type TendedAttempt } from '../workrail/protocol';
import { type AgentHost, type Delivery, type HandedIn } from './agent-host';
import { Composition, missOf } from './compose';
import { type RunFold, type RunFrame } from './fold';
import { type FactoryIds } from './ids';
import { COMPOSED_TRIES } from './opening';
import { failureReason } from './reasons';
import { type RunShelf, type Read } from './run-shelf';

type Answered<T> = Promise<Result<T, RailyardError>>;

export class FactorySteward implements Steward {
  constructor(
    private readonly shelf: RunShelf,
    private readonly host: AgentHost,
    /** Told of every run that an agent has changed: its workflow is to look. */
    private readonly ring: (run: string) => void,
  ) {}

  async at(session: Session, runId: RunId, nodeId: NodeId): Answered<Tended | null> {
    const read = await this.readOf(session);
    if (read.isErr()) return err(read.error);
    if (!read.value) return ok(null);
    const { frame, fold } = read.value;
    const refusal = refusalAt(frame, fold, session, runId, nodeId);
    const block = frame.blockOf.get(runId);
    if (refusal || block === undefined) return ok({ refusal, briefing: '' });
    const briefing = await this.host.briefing(attemptInput(frame.plan, fold.state, frame.run, block));
    return briefing.map((text) => ({ refusal: null, briefing: text }));
  }

  async open(session: Session): Answered<readonly { runId: RunId; nodeId: NodeId }[] | null> {
    const read = await this.readOf(session);
    return read.map((found) => {
      if (!found) return null;
      const { frame, fold } = found;
      return frame.plan.blocks.flatMap(({ id }) => {
        const runId = frame.ids.block(id);
        const nodeId = placeToGoOn(frame, fold, session, id);
        const ready = () => this.host.isReady(attemptInput(frame.plan, fold.state, frame.run, id));
        return nodeId && !refusalAt(frame, fold, session, runId, nodeId) && ready()
          ? [{ runId, nodeId }]
          : [];
      });
    });
  }

  async record(attempt: TendedAttempt): Answered<Session> {
    const delivered = await this.deliveryOf(attempt);
    if (delivered.isErr()) return err(delivered.error);
    for (let tries = 0; tries < COMPOSED_TRIES; tries += 1) {
      const read = await this.readOf(attempt.session);
      if (read.isErr()) return err(read.error);
      if (!read.value) throw new Error('Bug: the session has no steward any more');
      const done = await this.tryRecord(read.value, attempt, delivered.value);
      if (done.isErr()) return err(done.error);
      if (done.value) {
        const ready = await this.readyAgain(read.value.frame.run, attempt.runId);
        return ready.map(() => done.value as Session);
      }
    }
    return err(problem('SESSION_LOCKED', 'Others keep writing to this run.'));
  }

  /** Where a missed attempt led to the next one at once, the agent is answered when that one's workspace is ready. */
  private async readyAgain(run: string, runId: RunId): Answered<void> {
    const read = await this.shelf.read(run);
    if (read.isErr()) return err(read.error);
    const { frame, fold } = read.value;
    const block = frame.blockOf.get(runId);
    if (block === undefined || fold.state.blocks[block]?.status !== 'running') return ok();
    return this.host.prepare(attemptInput(frame.plan, fold.state, run, block));
  }

  /** Null: the session has grown meanwhile, and is to be looked at again. */
  private async tryRecord(
    read: Read,
    attempt: TendedAttempt,
    delivered: Delivery | null,
  ): Answered<Session | null> {
    const { frame, fold } = read;
    const refusal = refusalAt(frame, fold, attempt.session, attempt.runId, attempt.nodeId);
    if (refusal) return err(refusal);
    const closing = await this.closing(read, attempt, delivered);
    if (closing.isErr()) return err(closing.error);
    const { judged, composition } = closing.value;
    if (composition) {
      const kept = await this.shelf.keep([composition]);
      if (kept.isErr()) return err(kept.error);
    }
    const appended = await this.shelf.appendIfSame(read, (session) =>
      attempt
        .plan(session, judged)
        .map((plan) => [composition ? joined(plan, composition.finish().plan) : plan]),
    );
    return appended.map((session) => {
      if (session) this.ring(frame.run);
      return session;
    });
  }

  /** What the last step of a block comes to; any other step is left as the workflow alone has judged it. */
  private async closing(
    { frame, fold }: Read,
    { judged, runId, session, plan }: TendedAttempt,
    delivered: Delivery | null,
  ): Answered<{ readonly judged: Advance; readonly composition: Composition | null }> {
    if (!delivered || judged.kind === 'blocked') return ok({ judged, composition: null });
    if (delivered.kind === 'lacking') {
      const failure = delivered.missing ? 'missing_artifact' : 'threshold_not_met';
      return ok({ judged: blockedBy(judged, failureReason(failure, delivered.why)), composition: null });
    }
    const block = frame.blockOf.get(runId);
    const attempt = block === undefined ? undefined : fold.state.blocks[block]?.attempt;
    if (block === undefined || attempt === undefined) throw new Error('Bug: a place without a block');
    const { outcome } = delivered;
    const event = { type: 'attempt-finished' as const, block, attempt, outcome };
    const at = this.shelf.timeAfter(fold);
    const step = apply(frame.plan, fold.state, event, at);
    if (step.isErr()) return err(step.error);
    const missed = missOf(step.value, block);
    const final = missed ? blockedBy(judged, failureReason(missed.failure, missed.error)) : judged;
    // Only the node that this plan makes is looked at: it is derived from the attempt, whenever the plan is made.
    const own = plan(session, final);
    if (own.isErr()) return err(own.error);
    const composition = new Composition(frame, fold, step.value, at, this.shelf.composer(frame));
    return ok({ judged: final, composition: composition.writeBeside(event, own.value) });
  }

  /** Null: it is not the last step. */
  private async deliveryOf({
    session,
    runId,
    judged,
    artifacts,
    notesMarkdown,
  }: TendedAttempt): Answered<Delivery | null> {
    if (judged.kind === 'blocked' || !endsWork(judged.snapshot)) return ok(null);
    const read = await this.readOf(session);
    if (read.isErr()) return err(read.error);
    const block = read.value?.frame.blockOf.get(runId);
    if (!read.value || block === undefined) return ok(null);
    const { frame, fold } = read.value;
    const measured = await this.host.deliver(
      attemptInput(frame.plan, fold.state, frame.run, block),
      handedIn(artifacts, notesMarkdown),
    );
    if (measured.isErr()) return err(measured.error);
    const delivery = measured.value;
    if (delivery.kind === 'delivered') {
      const event: WalkEvent = { type: 'attempt-finished', block, attempt: 0, outcome: delivery.outcome };
      const sized = await this.shelf.measure(frame, [event]);
      if (sized.isErr()) return err(sized.error);
    }
    return ok(delivery);
  }

  private async readOf(session: Session): Answered<Read | null> {
    return this.shelf.readSession(session);
  }
}

/** Has the agent done all that it can: is the next step a person's, or is there none? */
function endsWork(snapshot: ExecutionSnapshot): boolean {
  const pending = pendingStep(snapshot);
  return isComplete(snapshot) || pending?.stepId === 'gate_after';
}

function handedIn(artifacts: readonly unknown[], notes: string): HandedIn {
  // The contract of the step has been checked by the engine: the last one of its kind is as its schema says.
  const result = artifacts.findLast(
    (one) => typeof one === 'object' && one !== null && 'kind' in one && one.kind === 'wr.block_result',
  ) as Partial<HandedIn> | undefined;
  return { metrics: result?.metrics ?? {}, records: result?.records ?? [], notes };
}

/** The judgement, had the attempt been missed for this reason. */
function blockedBy(
  { findings, divergences }: Advance,
  { found = '', fix, ...head }: ReturnType<typeof failureReason>,
): Advance {
  const mend = fix ?? 'Mend what is named here, then hand it in again with the retryAckToken.';
  // The two unions of reasons have the same members; the engine's has its texts filled in.
  const reason = { ...head, found, fix: mend } as Reason;
  return { findings, divergences, kind: 'blocked', reasons: [reason] };
}

/** The agent's plan and what follows from it, as one. Its first key is the agent's attempt. */
function joined(own: AppendPlan, consequences: AppendPlan): AppendPlan {
  const [first, ...rest] = own.events;
  return {
    events: [first, ...rest, ...consequences.events],
    snapshots: [...own.snapshots, ...consequences.snapshots],
  };
}

/** Why an agent cannot act at a node; null: it can. */
function refusalAt(
  { ids, blockOf, plan, run }: RunFrame,
  fold: RunFold,
  session: Session,
  runId: RunId,
  nodeId: NodeId,
): RailyardError | null {
  const id = blockOf.get(runId);
  const block = id === undefined ? undefined : fold.state.blocks[id];
  if (id === undefined || !block) {
    const message = runId === ids.factory ? 'is walked by its workflow' : 'has no such block';
    return problem('BLOCK_CLOSED', `The factory run "${run}" ${message}: there is nothing to acknowledge.`);
  }
  if (plan.blocks.find((one) => one.id === id)?.performer !== 'agent') {
    return problem('BLOCK_CLOSED', `The block "${id}" of "${run}" is performed by its skill, not by agents.`);
  }
  if (block.status === 'waiting') {
    const message = `The block "${id}" of "${run}" waits at its gate; only a person can decide that.`;
    return problem('STEP_NEEDS_PERSON', message, { details: { run, block: id } });
  }
  if (block.status !== 'running') {
    const last = block.history.at(-1);
    const how = last
      ? `: attempt ${last.attempt} ended at ${last.endedAt}${last.error ? ` (${last.error})` : ''}`
      : '';
    const message = `The block "${id}" of "${run}" is ${block.status}${how}.`;
    return problem('BLOCK_CLOSED', message, { details: { run, block: id, status: block.status } });
  }
  if (isOfAttempt(fold, session, ids, id, block.attempt, nodeId)) return null;
  const message = `This place is of an earlier attempt of the block "${id}" of "${run}"; attempt ${block.attempt} is under way.`;
  return problem('BLOCK_CLOSED', message, { details: { run, block: id, attempt: block.attempt } });
}

/** Does a node belong to the attempt that is under way: is it where that began, or did it come of it? */
function isOfAttempt(
  { places }: RunFold,
  session: Session,
  ids: FactoryIds,
  block: string,
  attempt: number,
  nodeId: NodeId,
): boolean {
  const began = places[block]?.ack?.node;
  const key = dedupeKeys.contextSet(
    session.sessionId,
    ids.block(block),
    ids.context('attempt', block, attempt),
  );
  const since = session.find(key)?.eventIndex;
  const nodes = session.project(sessionView).dag.runs.get(ids.block(block))?.nodes;
  if (since === undefined || !nodes) return false;
  let node = nodes.get(nodeId);
  while (node && node.nodeId !== began) {
    if (node.createdAt < since || node.parentNodeId === null) return false;
    node = nodes.get(node.parentNodeId);
  }
  return node !== undefined;
}

/** Where whoever takes up a block goes on: at its last node of this attempt, or where the attempt begins. */
function placeToGoOn(frame: RunFrame, fold: RunFold, session: Session, block: string): NodeId | null {
  const place = fold.places[block];
  const attempt = fold.state.blocks[block]?.attempt;
  if (!place?.ack || attempt === undefined) return null;
  return isOfAttempt(fold, session, frame.ids, block, attempt, place.tip.node)
    ? place.tip.node
    : place.ack.node;
}
