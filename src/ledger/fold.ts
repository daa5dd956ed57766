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
import { type EventOf, type NodeId, type PlannedEvent, type SessionId } from '../workrail/model';
import { type Fact } from './facts';
import { FactoryIds, factoryRunId, isMissedAttempt } from './ids';

/** What a run is, and stays. */
export interface RunFrame {
  readonly run: string;
  readonly sessionId: SessionId;
  readonly compiled: CompiledFactory;
  readonly plan: WalkPlan;
  /** Absolute, on this machine. */
  readonly workspace: string;
  readonly ids: FactoryIds;
  readonly blockOf: ReadonlyMap<string, string>;
}

/** Where a block's WorkRail run stands; absent until the block opens. */
export interface Place {
  readonly root: NodeId;
  /** The node that the next attempt, or the one under way, acknowledges from; null: behind a gate that is not passed. */
  readonly ack: NodeId | null;
  /** The last node. */
  readonly tip: NodeId;
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

export function frameOf(
  run: string,
  sessionId: SessionId,
  compiled: CompiledFactory,
  plan: WalkPlan,
  workspace: string,
): RunFrame {
  const ids = new FactoryIds(factoryRunId(run));
  const blockOf = new Map(plan.blocks.map(({ id }) => [ids.block(id) as string, id]));
  return { run, sessionId, compiled, plan, workspace, ids, blockOf };
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
    .map((step) => ({ ...fold, state: step.state, facts: [...fold.facts, factAfter(fold, event, at)] }))
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

export const factAfter = ({ facts }: Pick<RunFold, 'facts'>, event: WalkEvent, at: number): Fact => ({
  seq: facts.length,
  at,
  event,
});

/** Note where a node puts its block. */
export function withNode(frame: RunFrame, fold: RunFold, event: NodeEvent): RunFold {
  const block = frame.blockOf.get(event.scope.runId);
  if (block === undefined || event.data.nodeKind === 'checkpoint') return fold;
  const place = placeAfter(fold.places[block], frame, block, event);
  return place ? { ...fold, places: { ...fold.places, [block]: place } } : fold;
}

type NodeEvent = EventOf<'node_created'> | Extract<PlannedEvent, { kind: 'node_created' }>;

function placeAfter(before: Place | undefined, { plan }: RunFrame, id: string, event: NodeEvent): Place | null {
  const node = event.scope.nodeId;
  const { parentNodeId, nodeKind } = event.data;
  const planned = plan.blocks.find((one) => one.id === id);
  const gated = Boolean(planned?.gates.before);
  if (parentNodeId === null) return { root: node, ack: gated ? null : node, tip: node };
  if (!before) return null;
  if (nodeKind === 'blocked_attempt') {
    return { ...before, tip: node, ack: isMissedAttempt(node) ? node : before.ack };
  }
  return { ...before, tip: node, ack: gated && parentNodeId === before.root ? node : before.ack };
}
