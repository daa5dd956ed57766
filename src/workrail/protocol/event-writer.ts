/** Writes the events of one attempt: their ids are minted, everything else in them is derived from the attempt. */
import {
  type ContextSet,
  dedupeKeys,
  type EdgeCause,
  type EdgeKind,
  type EventId,
  type EventOf,
  type GapRecorded,
  type NodeId,
  type NodeOutput,
  type PlannedEvent,
  type PreferencesChanged,
  type SessionId,
  type TraceEntry,
} from '../model';
import { splitTrace, type Advance } from '../engine';
import { type Minting } from '../ports';
import { type AttemptKey, derived } from './derived-ids';

/** One attempt, the session it is of and the node it makes. */
export interface Writer {
  readonly sessionId: SessionId;
  readonly key: AttemptKey;
  /** What comes of the attempt; everything it brings about is attached to this node. */
  readonly nodeId: NodeId;
  readonly minting: Pick<Minting, 'eventId'>;
}

const head = ({ minting }: Writer): { readonly eventId: EventId } => ({ eventId: minting.eventId() });
const atNode = ({ key, nodeId }: Writer) => ({ runId: key.runId, nodeId });

export function advanceRecorded(
  writer: Writer,
  outcome: EventOf<'advance_recorded'>['data']['outcome'],
): PlannedEvent {
  const { sessionId, key } = writer;
  return {
    ...head(writer),
    kind: 'advance_recorded',
    dedupeKey: dedupeKeys.advanceRecorded(sessionId, key.nodeId, key.attemptId),
    scope: { runId: key.runId, nodeId: key.nodeId },
    data: { attemptId: key.attemptId, intent: 'ack_pending', outcome },
  };
}

export const nodeCreated = (writer: Writer, data: EventOf<'node_created'>['data']): PlannedEvent => ({
  ...head(writer),
  kind: 'node_created',
  dedupeKey: dedupeKeys.nodeCreated(writer.sessionId, writer.key.runId, writer.nodeId),
  scope: atNode(writer),
  data,
});

/** The edge from where the attempt was made to what came of it. */
export const edgeCreated = (
  writer: Writer,
  edgeKind: EdgeKind,
  cause: { readonly kind: EdgeCause; readonly eventId: EventId },
): PlannedEvent => {
  const { sessionId, key, nodeId } = writer;
  return {
    ...head(writer),
    kind: 'edge_created',
    dedupeKey: dedupeKeys.edgeCreated(sessionId, key.runId, key.nodeId, nodeId, edgeKind),
    scope: { runId: key.runId },
    data: { edgeKind, fromNodeId: key.nodeId, toNodeId: nodeId, cause },
  };
};

export const outputAppended = (writer: Writer, data: NodeOutput): PlannedEvent => ({
  ...head(writer),
  kind: 'node_output_appended',
  dedupeKey: dedupeKeys.nodeOutputAppended(writer.sessionId, data.outputId),
  scope: atNode(writer),
  data,
});

export function contextSet(
  writer: Writer,
  context: ContextSet['context'],
  source: ContextSet['source'],
): PlannedEvent {
  const contextId = derived.context(writer.key);
  return {
    ...head(writer),
    kind: 'context_set',
    dedupeKey: dedupeKeys.contextSet(writer.sessionId, writer.key.runId, contextId),
    scope: { runId: writer.key.runId },
    data: { contextId, context, source },
  };
}

export function preferencesChanged(
  writer: Writer,
  delta: PreferencesChanged['delta'],
  effective: PreferencesChanged['effective'],
): PlannedEvent {
  const changeId = derived.preferences(writer.key);
  return {
    ...head(writer),
    kind: 'preferences_changed',
    dedupeKey: dedupeKeys.preferencesChanged(writer.sessionId, changeId),
    scope: atNode(writer),
    data: { changeId, source: 'user', delta, effective },
  };
}

export const capabilitiesObserved = (writer: Writer, findings: Advance['findings']): PlannedEvent[] =>
  findings.map((finding, n) => {
    const capObsId = derived.capability(writer.key, n);
    return {
      ...head(writer),
      kind: 'capability_observed',
      dedupeKey: dedupeKeys.capabilityObserved(writer.sessionId, capObsId),
      scope: atNode(writer),
      data: { capObsId, ...finding },
    };
  });

export const divergencesRecorded = (writer: Writer, divergences: Advance['divergences']): PlannedEvent[] =>
  divergences.map((divergence, n) => {
    const divergenceId = derived.divergence(writer.key, n);
    return {
      ...head(writer),
      kind: 'divergence_recorded',
      dedupeKey: dedupeKeys.divergenceRecorded(writer.sessionId, divergenceId),
      scope: atNode(writer),
      data: { divergenceId, ...divergence },
    };
  });

export const gapRecorded = (writer: Writer, data: GapRecorded): PlannedEvent => ({
  ...head(writer),
  kind: 'gap_recorded',
  dedupeKey: dedupeKeys.gapRecorded(writer.sessionId, data.gapId),
  scope: atNode(writer),
  data,
});

/** As many events as the budgets of a trace need. */
export const tracesAppended = (writer: Writer, entries: readonly TraceEntry[]): PlannedEvent[] =>
  splitTrace(entries).map((part, n) => {
    const traceId = derived.trace(writer.key, n);
    return {
      ...head(writer),
      kind: 'decision_trace_appended',
      dedupeKey: dedupeKeys.decisionTraceAppended(writer.sessionId, traceId),
      scope: atNode(writer),
      data: { traceId, entries: part },
    };
  });
