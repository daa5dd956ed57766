/**
 * A factory session read as a factory run: the walk's fold over the facts that its events carry, and where each block's
 * WorkRail run stands. Pure; whoever reads a session loads what the events refer to and feeds both in, in order.
 */
import { type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { type CompiledFactory } from '../factory/compile';
import { type WalkPlan } from '../factory/plan';
import { type RunState } from '../factory/run-state';
import { apply, startRun, type Step, type WalkEvent } from '../factory/walk';
import { indexOf } from '../factory/walk/plan-index';
import {
  type EventOf,
  type NodeId,
  type PlannedEvent,
  type SessionId,
  type SnapshotRef,
} from '../workrail/model';
import { type Fact } from './facts';
import { FactoryIds, factoryRunId } from './ids';
import { type AgentWorkflows } from './pinned';

/** What a run is, and stays. */
export interface RunFrame {
  readonly run: string;
  readonly sessionId: SessionId;
  readonly compiled: CompiledFactory;
  readonly plan: WalkPlan;
  /** The workflows of the skills that agents perform. */
  readonly agents: AgentWorkflows;
  /** Absolute, on this machine. */
  readonly workspace: string;
  readonly ids: FactoryIds;
  readonly blockOf: ReadonlyMap<string, string>;
}

/** A node, and the snapshot it has. */
export interface Spot {
  readonly node: NodeId;
  readonly snapshot: SnapshotRef;
}

/** Where a block's WorkRail run stands; absent until the block opens. */
export interface Place {
  readonly root: NodeId;
  /** What the next attempt, or the one under way, acknowledges from; null: behind a gate that is not passed. */
  readonly ack: Spot | null;
  /** The last node. */
  readonly tip: Spot;
  /** Is that one a blocked attempt? */
  readonly tipBlocked: boolean;
  /** When somebody last did something there, in epoch milliseconds. */
  readonly touchedAt: number;
}

export interface Driver {
  readonly epoch: number;
  readonly workflowId: string;
}

/** A run as far as its session has been read. */
export interface RunFold {
  readonly state: RunState;
  readonly startedAt: number;
  readonly driver: Driver;
  readonly facts: readonly Fact[];
  readonly places: Readonly<Record<string, Place>>;
}

export function frameOf(run: Omit<RunFrame, 'ids' | 'blockOf'>): RunFrame {
  const ids = new FactoryIds(factoryRunId(run.run));
  const blockOf = new Map(run.plan.blocks.map(({ id }) => [ids.block(id) as string, id]));
  return { ...run, ids, blockOf };
}

/** The first state, and what it leads to at once. */
export function begin(frame: RunFrame, startedBy: string, at: number): { fold: RunFold; step: Step } {
  const step = startRun(frame.plan, { startedBy }, at);
  const driver = { epoch: 1, workflowId: frame.run };
  return { fold: { state: step.state, startedAt: at, driver, facts: [], places: {} }, step };
}

/** Add a fact that stands in the store. The walk accepted it then, so it accepts it now. */
export function withFact(
  frame: RunFrame,
  fold: RunFold,
  event: WalkEvent,
  at: number,
): Result<RunFold, RailyardError> {
  return apply(frame.plan, fold.state, event, at)
    .map((step) => afterFact(fold, step, event, at))
    .mapErr(({ code, message }) =>
      problem(
        'STORE_INVARIANT_VIOLATION',
        `Fact ${fold.facts.length} of this run (${event.type}) is refused: ${message}`,
        {
          details: { code, run: frame.run },
        },
      ),
    );
}

/** The run with one fact more: what a missed attempt left is where the next one acknowledges from. */
export function afterFact(fold: RunFold, step: Step, event: WalkEvent, at: number): RunFold {
  const facts = [...fold.facts, { seq: fold.facts.length, at, event }];
  let { places } = fold;
  for (const effect of step.effects) {
    const place = effect.type === 'start-attempt' ? places[effect.block] : undefined;
    if (place) places = { ...places, [effect.block]: { ...place, touchedAt: at } };
  }
  const ended = event.type === 'attempt-finished' ? places[event.block] : undefined;
  if (event.type === 'attempt-finished' && ended?.tipBlocked) {
    places = { ...places, [event.block]: { ...ended, ack: ended.tip } };
  }
  return { ...fold, state: step.state, facts, places };
}

/** Note where a node puts its block. */
export function withNode(frame: RunFrame, fold: RunFold, event: NodeEvent, at: number): RunFold {
  const block = frame.blockOf.get(event.scope.runId);
  if (block === undefined || event.data.nodeKind === 'checkpoint') return fold;
  const place = placeAfter(fold.places[block], frame, block, event, at);
  return place ? { ...fold, places: { ...fold.places, [block]: place } } : fold;
}

type NodeEvent = EventOf<'node_created'> | Extract<PlannedEvent, { kind: 'node_created' }>;

function placeAfter(
  before: Place | undefined,
  { plan }: RunFrame,
  id: string,
  event: NodeEvent,
  touchedAt: number,
): Place | null {
  const { parentNodeId, nodeKind, snapshotRef } = event.data;
  const tip = { node: event.scope.nodeId, snapshot: snapshotRef };
  const tipBlocked = nodeKind === 'blocked_attempt';
  const gated = Boolean(indexOf(plan).blocks.get(id)?.gates.before);
  if (parentNodeId === null) return { root: tip.node, ack: gated ? null : tip, tip, tipBlocked, touchedAt };
  if (!before) return null;
  const passed = gated && !tipBlocked && parentNodeId === before.root;
  return { ...before, tip, tipBlocked, touchedAt, ack: passed ? tip : before.ack };
}
