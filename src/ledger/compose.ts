/**
 * From an event that the walk accepted to the WorkRail events that say the same: the table of the design, row by row. One
 * fact is one plan; its first event is its claim, with a key that a retry has again.
 */
import { type JsonObject } from '../canonical';
import { type BlockState, type FailureClass, type GateState, type RunState } from '../factory/run-state';
import { attemptInput } from '../factory/walk/attempt-input';
import { type Step, type WalkEvent } from '../factory/walk';
import {
  reasonsToReport,
  reasonToGap,
  type AppendPlan,
  type CompiledWorkflow,
  type Digest,
  type EventId,
  type NodeId,
  type RunId,
  type WorkflowHash,
} from '../workrail/model';
import { type FactoryControl } from '../workrail/compiler';
import { blockResult, control, gateDecision, note } from './carrier';
import { PlanDraft, type Composed } from './draft';
import { afterFact, withNode, type Place, type RunFold, type RunFrame } from './fold';
import { failureReason, gateReason } from './reasons';
import { COMPLETE, type Stages } from './pinned';

/** What composing needs from the store. */
export interface Composer {
  mint(): EventId;
  /** The factory's own workflow. */
  readonly factory: Pinned;
  /** A block's workflow. */
  pinned(block: string): PinnedBlock;
  /** The size of an artifact's own bytes: of a directory, those of its listing. */
  sizeOf(digest: string): number;
}

/** A workflow that runs are pinned to; kept before a plan that begins such a run is appended. */
export interface Pinned {
  readonly workflow: CompiledWorkflow;
  readonly hash: WorkflowHash;
}

/** A block's workflow, and where a run of it can stand. */
export interface PinnedBlock extends Pinned {
  readonly stages: Stages;
}

type Finished = Extract<WalkEvent, { type: 'attempt-finished' }>;

/** A fact on its way into the store. */
export class Composition {
  readonly draft: PlanDraft;
  /** Workflows whose runs begin with this fact. */
  readonly pins: CompiledWorkflow[] = [];
  private fold: RunFold;

  /** `fold` is before the fact, `step` what the walk made of it. */
  constructor(
    private readonly frame: RunFrame,
    fold: RunFold,
    private readonly step: Step,
    private readonly at: number,
    private readonly composer: Composer,
  ) {
    this.fold = fold;
    this.draft = new PlanDraft(
      frame.sessionId,
      at,
      () => composer.mint(),
      (event) => {
        this.fold = withNode(this.frame, this.fold, event, at);
      },
    );
  }

  /** The run after the fact. */
  after(event: WalkEvent): RunFold {
    return afterFact(this.fold, this.step, event, this.at);
  }

  finish(): Composed {
    return this.draft.finish();
  }

  /** The event itself, and then all that follows from it. */
  write(event: WalkEvent): this {
    const before = this.fold.state;
    if (event.type === 'attempt-finished') this.attemptFinished(event);
    else if (event.type !== 'taken-over' && !this.closesGate(event, before)) this.control(event);
    return this.consequences(before, event);
  }

  /** The same beside a plan that leads from the attempt's place already: an agent's own. */
  writeBeside(event: Finished, { events }: AppendPlan): this {
    const made = events.find(({ kind }) => kind === 'node_created');
    if (made?.kind !== 'node_created') throw new Error('Bug: an advance without a node');
    const before = this.fold.state;
    this.fold = withNode(this.frame, this.fold, made, this.at);
    const { runId, nodeId } = made.scope;
    this.artifacts(event, runId, nodeId);
    return this.warnings(event, runId, nodeId).consequences(before, event);
  }

  /** Openings, endings and starts, by what differs between two states. */
  consequences(before: RunState | null, event: WalkEvent | null): this {
    const after = this.step.state;
    for (const opening of after.gates) {
      const known = before?.gates.find((one) => isSame(one, opening)) ?? null;
      if (known === opening) continue;
      if (!known) this.gateOpened(opening, event);
      else if (!known.outcome && opening.outcome) this.gateClosed(opening, event);
    }
    for (const { id } of this.frame.plan.blocks) {
      const [was, is] = [before?.blocks[id], after.blocks[id]];
      if (is && was !== is) this.blockChanged(id, was ?? null, is);
    }
    for (const effect of this.step.effects) {
      if (effect.type === 'start-attempt') this.attemptStarts(effect.block, effect.attempt);
    }
    if (before?.status !== after.status) this.runChanged(after);
    return this;
  }

  private attemptFinished(event: Finished): void {
    const { block, attempt } = event;
    const { ids } = this.frame;
    const { run, hash } = this.runOf(block);
    const { ack } = this.placeOf(block);
    if (ack === null) throw new Error(`Bug: ${block} has finished behind its gate`);
    const from = ack.node;
    const cause = this.isFork(block, from) ? 'intentional_fork' : 'idempotent_replay';
    const execution = ids.execution(block, attempt);
    const missed = missOf(this.step, block);
    const to = missed ? ids.blocked(block, attempt) : ids.result(block, attempt);
    if (missed) {
      const reasons = [failureReason(missed.failure, missed.error)];
      const report = reasonsToReport(reasons);
      if (!report) throw new Error('Bug: reasons without a report');
      const advance = this.draft.blocked(run, from, execution, report);
      this.draft.node(run, to, 'blocked_attempt', from, hash, ack.snapshot);
      this.draft.edge(run, from, to, cause, advance);
    } else {
      const advance = this.draft.advanced(run, from, execution, to);
      this.draft.node(run, to, 'step', from, hash, this.composer.pinned(block).stages.after);
      this.draft.edge(run, from, to, cause, advance);
    }
    this.outputs(event, run, to);
    this.standIn(event, run, to);
    if (missed === null) this.warnings(event, run, to);
  }

  private outputs({ block, attempt, outcome }: Finished, run: RunId, node: NodeId): void {
    const { ids } = this.frame;
    const notes = outcome.kind === 'succeeded' ? outcome.notes : outcome.error;
    this.draft.notes(run, node, ids.output('notes', block, attempt), notes);
    this.artifacts({ type: 'attempt-finished', block, attempt, outcome }, run, node);
  }

  /** What the attempt left, and the result that says which is which. */
  private artifacts({ block, attempt, outcome }: Finished, run: RunId, node: NodeId): void {
    const { ids, workspace } = this.frame;
    const artifacts = outcome.kind === 'succeeded' ? outcome.artifacts : [];
    for (const { key, digest } of artifacts) {
      const outputId = ids.output('artifact', block, attempt, key);
      const size = this.composer.sizeOf(digest);
      // It was captured into the store, under a digest.
      this.draft.artifact(run, node, outputId, digest as Digest, 'application/octet-stream', size);
    }
    const result = blockResult({ type: 'attempt-finished', block, attempt, outcome }, workspace);
    this.draft.fact(run, node, ids.output('result', block, attempt), result);
  }

  private standIn({ block, attempt, outcome: { standIn } }: Finished, run: RunId, node: NodeId): void {
    if (!standIn) return;
    const { ids } = this.frame;
    this.draft.capabilityMissing(run, node, ids.capability('runtime', block, attempt));
    const text = `The stand-in "${standIn.ran}" performed this block instead of "${standIn.asked}", which is not there.`;
    this.draft.divergence(
      run,
      node,
      ids.divergence('stand-in', block, attempt),
      'capability_unavailable',
      text,
    );
  }

  private warnings({ block, attempt }: Finished, run: RunId, node: NodeId): this {
    const was = this.fold.state.blocks[block]?.warnings ?? [];
    const fresh = (this.step.state.blocks[block]?.warnings ?? []).filter((one) => !was.includes(one));
    if (fresh.length === 0) return this;
    const key = `${block} ${attempt}`;
    const content = note('threshold_warning', key, block, { warnings: fresh });
    this.draft.note(run, node, this.frame.ids.output('warnings', block, attempt), content);
    return this;
  }

  /** Is this the end of an opening? Then the opening's own events carry the fact. */
  private closesGate(event: WalkEvent, before: RunState): boolean {
    if (event.type !== 'gate-decision' && event.type !== 'gate-timeout') return false;
    return carrierOf(event, before, this.step) !== null;
  }

  private control(event: WalkEvent): void {
    const { ids } = this.frame;
    const [name, key, block] = controlOf(event, this.step, this.fold.facts.length);
    this.draft.fact(
      ids.factory,
      ids.root,
      ids.output('control', name, key),
      control(name, key, block, event),
    );
  }

  private gateOpened(opening: GateState, event: WalkEvent | null): void {
    const { block, gate, attempt, outcome } = opening;
    const { ids } = this.frame;
    this.open(block);
    const { run } = this.runOf(block);
    const silent = outcome?.via === 'override' || outcome?.via === 'standing';
    if (!silent) {
      this.draft.gap(run, this.gateNode(opening), ids.gateGap(block, gate, attempt), gateReason(opening));
    }
    // An early decision that closes it at once is another fact's.
    if (outcome) this.gateClosed(opening, outcome.via === 'override' ? event : null);
  }

  private gateClosed(opening: GateState, event: WalkEvent | null): void {
    const { block, gate, attempt, outcome } = opening;
    if (!outcome) return;
    const { ids } = this.frame;
    const { run, hash } = this.runOf(block);
    const node = this.gateNode(opening);
    const opened = outcome.via !== 'override' && outcome.via !== 'standing';
    if (opened) {
      const text = `${outcome.decision} by ${outcome.by}${outcome.role ? ` (${outcome.role})` : ''} via ${outcome.via}`;
      const reason = { ...gateReason(opening), severity: 'info' as const, summary: text };
      const claim = ids.gateClaim(block, gate, attempt);
      this.draft.gap(run, node, claim, reason, ids.gateGap(block, gate, attempt));
    }
    const carries = event !== null && isCarrier(event, opening);
    const outputId = ids.output('decision', block, gate, attempt, outcome.via);
    const content = gateDecision(opening, carries ? event : null);
    if (carries) this.draft.fact(run, node, outputId, content);
    else this.draft.note(run, node, outputId, content);

    // An approval of the gate before that stands leaves the next attempt where the one before it ended.
    if (outcome.via === 'standing' && gate === 'before') return;
    if (outcome.decision === 'approved') {
      const to = gate === 'before' ? ids.perform(block, attempt) : ids.complete(block, attempt);
      const snapshot = gate === 'before' ? this.composer.pinned(block).stages.perform : COMPLETE;
      const cause = this.isFork(block, node) ? 'intentional_fork' : 'idempotent_replay';
      const advance = this.draft.advanced(run, node, ids.passage(block, gate, attempt), to);
      this.draft.node(run, to, 'step', node, hash, snapshot);
      this.draft.edge(run, node, to, cause, advance);
    } else if (outcome.feedback.trim() !== '') {
      const { by, role, feedback } = outcome;
      const said: JsonObject = { feedback: { attempt, from: by, role, text: feedback } };
      this.draft.context(run, ids.context('feedback', block, gate, attempt), 'agent_delta', said);
    }
  }

  /** A block has come to nothing for good, or somebody brings it back. */
  private blockChanged(block: string, was: BlockState | null, is: BlockState): void {
    const { ids } = this.frame;
    const [lost, found] = [isLost(was), isLost(is)];
    if (was && lost && (!found || was.attempt !== is.attempt)) {
      const gap = reasonToGap(failureReason(was.failure ?? 'error', was.error ?? ''));
      const summary =
        is.status === 'done' ? 'The missed threshold was overridden.' : 'The block is tried again.';
      const text = { ...gap, severity: 'info' as const, summary };
      const { run } = this.runOf(block);
      const end = ids.failureEnd(block, was.attempt);
      this.draft.gap(run, this.placeOf(block).tip.node, end, text, ids.failureGap(block, was.attempt));
    }
    if (found && (!lost || was?.attempt !== is.attempt)) {
      const gap = reasonToGap(failureReason(is.failure ?? 'error', is.error ?? ''));
      const { run } = this.runOf(block);
      this.draft.gap(run, this.placeOf(block).tip.node, ids.failureGap(block, is.attempt), gap);
    }
  }

  private attemptStarts(block: string, attempt: number): void {
    this.open(block);
    const { ids, plan, run } = this.frame;
    const { inputs, feedback, trigger } = attemptInput(plan, this.step.state, run, block);
    const context: JsonObject = {
      attempt,
      inputs: inputs.map(({ block: from, artifact: { key, digest, format } }) => ({
        block: from,
        key,
        digest,
        format,
      })),
      feedback: feedback.length,
      config: this.blockOf(block).config,
      ...(trigger ? { trigger: { type: trigger.type, payload: trigger.payload } } : {}),
    };
    const source = attempt === 1 ? 'initial' : 'agent_delta';
    this.draft.context(ids.block(block), ids.context('attempt', block, attempt), source, context);
  }

  private runChanged({ status, reason }: RunState): void {
    const { ids } = this.frame;
    if (status === 'completed') {
      const advance = this.draft.advanced(ids.factory, ids.root, ids.walk(), ids.end);
      this.draft.node(ids.factory, ids.end, 'step', ids.root, this.composer.factory.hash, COMPLETE);
      this.draft.edge(ids.factory, ids.root, ids.end, 'idempotent_replay', advance);
    } else if (status === 'cancelled') {
      this.draft.divergence(
        ids.factory,
        ids.root,
        ids.divergence('cancelled'),
        'safety_stop',
        reason ?? 'The run was cancelled.',
      );
    }
  }

  /** The block's run begins with the first gate or attempt of the block. */
  private open(block: string): void {
    if (this.fold.places[block]) return;
    const { ids, plan } = this.frame;
    const { workflow, hash } = this.composer.pinned(block);
    const run = ids.block(block);
    this.pins.push(workflow);
    this.draft.runStarted(run, workflow.workflowId, hash, plan.factoryHash);
    this.draft.node(run, ids.blockRoot(block), 'step', null, hash, this.composer.pinned(block).stages.first);
  }

  /** Where the gate's step is pending. */
  private gateNode({ block, gate }: GateState): NodeId {
    const { root, tip } = this.placeOf(block);
    return gate === 'before' ? root : tip.node;
  }

  /** Has somebody gone on from this node before? */
  private isFork(block: string, node: NodeId): boolean {
    return this.placeOf(block).tip.node !== node;
  }

  private runOf(block: string): { readonly run: RunId; readonly hash: WorkflowHash } {
    return { run: this.frame.ids.block(block), hash: this.composer.pinned(block).hash };
  }

  private placeOf(block: string): Place {
    const place = this.fold.places[block];
    if (!place) throw new Error(`Bug: the block ${block} has not been opened`);
    return place;
  }

  private blockOf(block: string) {
    const found = this.frame.compiled.blocks.find(({ id }) => id === block);
    if (!found) throw new Error(`Bug: the factory has no block ${block}`);
    return found;
  }
}

const isSame = (a: GateState, b: GateState): boolean =>
  a.block === b.block && a.gate === b.gate && a.attempt === b.attempt;

/** Failed for good, and not because the run was cancelled. */
const isLost = (block: BlockState | null): boolean =>
  block?.status === 'failed' && block.failure !== 'cancelled';

/** How the attempt that has just ended was missed, by now in the history; null: it was not. */
export function missOf(
  { state, answer }: Step,
  block: string,
): { readonly failure: FailureClass; readonly error: string } | null {
  if (answer.kind !== 'completed' || !['retry', 'failed'].includes(answer.completion.action)) return null;
  const last = state.blocks[block]?.history.at(-1);
  return { failure: last?.failure ?? 'error', error: last?.error ?? '' };
}

/** Did this event end this opening, and not something else? */
function isCarrier(event: WalkEvent, opening: GateState): boolean {
  const { outcome } = opening;
  if (event.type === 'gate-timeout') {
    const { block, gate, attempt } = event;
    return outcome?.via === 'timeout' && isSame(opening, { ...opening, block, gate, attempt });
  }
  if (event.type !== 'gate-decision' || opening.block !== event.decision.block) return false;
  return outcome?.via === 'decision' || outcome?.via === 'override';
}

/** The opening that an event ended; null: it ended none, and is kept as a control. */
function carrierOf(event: WalkEvent, before: RunState, { state, answer }: Step): GateState | null {
  if (event.type === 'gate-decision' && answer.kind !== 'decided') return null;
  const ended = state.gates.find((opening) => {
    const known = before.gates.find((one) => isSame(one, opening));
    const fresh = known ? known.outcome === null : opening.outcome?.via === 'override';
    return fresh && opening.outcome !== null && isCarrier(event, opening);
  });
  return ended ?? null;
}

/** What a control is called, its key, and the block it is about. */
function controlOf(event: WalkEvent, { answer }: Step, seq: number): [FactoryControl, string, string | null] {
  const turn = `${seq}`;
  switch (event.type) {
    case 'gate-decision': {
      const { id, block } = event.decision;
      return [answer.kind === 'counted' ? 'quorum_vote' : 'early_decision', id, block];
    }
    case 'gate-timeout':
      return ['gate_overdue', `${event.block} ${event.gate} ${event.attempt}`, event.block];
    case 'trigger':
      return [event.via === 'webhook' ? 'kept_webhook' : 'trigger_fired', event.id, event.block];
    case 'event':
      return ['kept_event', event.id, null];
    case 'tick':
      return ['cron_fired', `${event.block} ${event.due}`, event.block];
    case 'pause':
      return ['pause', turn, null];
    case 'resume':
      return ['resume', turn, null];
    case 'cancel':
      return ['cancel_requested', turn, null];
    case 'retry-block':
      return ['operator_retry', turn, event.block];
    case 'attempt-finished':
    case 'taken-over':
      throw new Error(`Bug: ${event.type} is no control`);
  }
}
