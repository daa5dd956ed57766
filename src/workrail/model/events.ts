/**
 * The domain events of a session: a closed union by `kind` (locks, section 1, and 18.2 for `context_set`). Fields that
 * this version does not know are left alone where they stand beside known ones: within a version the format only grows.
 */
import { z } from 'zod';
import { BlockerReport } from './blockers';
import { CapabilityObserved } from './capabilities';
import { DIVERGENCE_REASONS, EDGE_CAUSES, EDGE_KINDS, NODE_KINDS, WORKFLOW_SOURCES } from './closed-sets';
import { ContextSet } from './context';
import { DecisionTrace } from './decision-trace';
import { DedupeKey } from './dedupe-key';
import { boundedSummary, GapRecorded } from './gaps';
import {
  AttemptId,
  DivergenceId,
  EventId,
  EventIndex,
  NodeId,
  RunId,
  SessionId,
  SnapshotRef,
  StepId,
  WorkflowHash,
  WorkflowId,
} from './ids';
import { ObservationRecorded } from './observations';
import { NodeOutput } from './outputs';
import { PreferencesChanged } from './preferences';

export const EVENT_VERSION = 1;

const envelope = {
  v: z.literal(EVENT_VERSION),
  eventId: EventId,
  eventIndex: EventIndex,
  sessionId: SessionId,
  dedupeKey: DedupeKey,
  /** For people only; no order is ever taken from it. */
  timestampMs: z.int().positive().optional(),
};
/** Where a scope has no place. */
const nowhere = { scope: z.undefined().optional() };
const inRun = { scope: z.object({ runId: RunId, nodeId: z.undefined().optional() }) };
const atNode = { scope: z.object({ runId: RunId, nodeId: NodeId }) };

const RunStarted = z.object({
  workflowId: WorkflowId,
  workflowHash: WorkflowHash,
  workflowSourceKind: z.enum(WORKFLOW_SOURCES),
  workflowSourceRef: z.string().min(1).max(1024),
});

const NodeCreated = z.object({
  nodeKind: z.enum(NODE_KINDS),
  /** Null: the run's root. */
  parentNodeId: NodeId.nullable(),
  workflowHash: WorkflowHash,
  snapshotRef: SnapshotRef,
});

const EdgeCreated = z
  .object({
    edgeKind: z.enum(EDGE_KINDS),
    fromNodeId: NodeId,
    toNodeId: NodeId,
    cause: z.object({ kind: z.enum(EDGE_CAUSES), eventId: EventId }),
  })
  .refine(({ edgeKind, cause }) => (edgeKind === 'checkpoint') === (cause.kind === 'checkpoint_created'), {
    path: ['cause', 'kind'],
    message: 'must be "checkpoint_created" for a checkpoint, and only for one',
  });

const AdvanceRecorded = z.object({
  attemptId: AttemptId,
  intent: z.literal('ack_pending'),
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('blocked'), blockers: BlockerReport }),
    z.object({ kind: z.literal('advanced'), toNodeId: NodeId }),
  ]),
});

const DivergenceRecorded = z.object({
  divergenceId: DivergenceId,
  reason: z.enum(DIVERGENCE_REASONS),
  summary: boundedSummary,
  relatedStepId: StepId.optional(),
});

export const DomainEvent = z.discriminatedUnion('kind', [
  z.object({ ...envelope, ...nowhere, kind: z.literal('session_created'), data: z.object({}) }),
  z.object({ ...envelope, ...nowhere, kind: z.literal('observation_recorded'), data: ObservationRecorded }),
  z.object({ ...envelope, ...inRun, kind: z.literal('run_started'), data: RunStarted }),
  z.object({ ...envelope, ...atNode, kind: z.literal('node_created'), data: NodeCreated }),
  z.object({ ...envelope, ...inRun, kind: z.literal('edge_created'), data: EdgeCreated }),
  z.object({ ...envelope, ...atNode, kind: z.literal('advance_recorded'), data: AdvanceRecorded }),
  z.object({ ...envelope, ...atNode, kind: z.literal('node_output_appended'), data: NodeOutput }),
  z.object({ ...envelope, ...atNode, kind: z.literal('preferences_changed'), data: PreferencesChanged }),
  z.object({ ...envelope, ...atNode, kind: z.literal('capability_observed'), data: CapabilityObserved }),
  z.object({ ...envelope, ...atNode, kind: z.literal('gap_recorded'), data: GapRecorded }),
  z.object({ ...envelope, ...atNode, kind: z.literal('divergence_recorded'), data: DivergenceRecorded }),
  z.object({ ...envelope, ...atNode, kind: z.literal('decision_trace_appended'), data: DecisionTrace }),
  z.object({ ...envelope, ...inRun, kind: z.literal('context_set'), data: ContextSet }),
]);
/** One committed event. */
export type DomainEvent = z.infer<typeof DomainEvent>;
/** The event of one kind. */
export type EventOf<K extends DomainEvent['kind']> = Extract<DomainEvent, { kind: K }>;
