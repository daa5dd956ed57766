/** One append plan while it is written: its events, the snapshots of its nodes, and the artifacts it refers to. */
import { digestOf, sha256Digest, type JsonObject } from '../canonical';
import {
  dedupeKeys,
  Digest,
  MAX_NOTES_BYTES,
  MAX_SUMMARY_BYTES,
  SnapshotRef,
  truncateUtf8,
  type AppendPlan,
  type AttemptId,
  type BlockerReport,
  type CapabilityObservationId,
  type ContextId,
  type DivergenceId,
  type DivergenceReason,
  type EdgeCause,
  type EventId,
  type ExecutionSnapshot,
  type GapId,
  type GapRecorded,
  type NodeId,
  type NodeKind,
  type OutputId,
  type PlannedEvent,
  type PreferencesChanged,
  type RunId,
  type SessionId,
  type WorkflowHash,
  type WorkflowId,
} from '../workrail/model';
import { bytesOf, FACT_TYPE, NOTE_TYPE } from './carrier';

/** An artifact that must be kept before the plan is appended. */
export interface Carried {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** A finished plan. */
export interface Composed {
  readonly plan: AppendPlan;
  readonly carried: readonly Carried[];
}

type Body = Omit<PlannedEvent, 'eventId' | 'timestampMs' | 'dedupeKey'> & { readonly dedupeKey: string };

export class PlanDraft {
  private readonly events: PlannedEvent[] = [];
  private readonly snapshots = new Map<SnapshotRef, ExecutionSnapshot>();
  private readonly carried: Carried[] = [];

  constructor(
    private readonly session: SessionId,
    /** The time of the fact, on every event of its plan. */
    private readonly at: number,
    private readonly mint: () => EventId,
    private readonly onNode: (event: Extract<PlannedEvent, { kind: 'node_created' }>) => void,
  ) {}

  finish(): Composed {
    const [first, ...rest] = this.events;
    if (!first) throw new Error('Bug: a fact without events');
    return {
      plan: { events: [first, ...rest], snapshots: [...this.snapshots.values()] },
      carried: this.carried,
    };
  }

  sessionCreated(): void {
    this.add({ kind: 'session_created', dedupeKey: dedupeKeys.sessionCreated(this.session), data: {} });
  }

  runStarted(runId: RunId, workflowId: WorkflowId, workflowHash: WorkflowHash, ref: string): void {
    this.add({
      kind: 'run_started',
      scope: { runId },
      dedupeKey: dedupeKeys.runStarted(this.session, runId),
      data: { workflowId, workflowHash, workflowSourceKind: 'project', workflowSourceRef: ref },
    });
  }

  node(
    runId: RunId,
    nodeId: NodeId,
    nodeKind: NodeKind,
    parentNodeId: NodeId | null,
    workflowHash: WorkflowHash,
    /** One that the store has already may go by its address. */
    snapshot: ExecutionSnapshot | SnapshotRef,
  ): void {
    const snapshotRef = typeof snapshot === 'string' ? snapshot : refOf(snapshot);
    if (typeof snapshot !== 'string') this.snapshots.set(snapshotRef, snapshot);
    const event = this.add({
      kind: 'node_created',
      scope: { runId, nodeId },
      dedupeKey: dedupeKeys.nodeCreated(this.session, runId, nodeId),
      data: { nodeKind, parentNodeId, workflowHash, snapshotRef },
    });
    if (event.kind === 'node_created') this.onNode(event);
  }

  /** Answers with the id of the event, which is the cause of the edge. */
  advanced(runId: RunId, nodeId: NodeId, attemptId: AttemptId, toNodeId: NodeId): EventId {
    return this.advance(runId, nodeId, attemptId, { kind: 'advanced', toNodeId });
  }

  blocked(runId: RunId, nodeId: NodeId, attemptId: AttemptId, blockers: BlockerReport): EventId {
    return this.advance(runId, nodeId, attemptId, { kind: 'blocked', blockers });
  }

  edge(runId: RunId, from: NodeId, to: NodeId, kind: EdgeCause, eventId: EventId): void {
    this.add({
      kind: 'edge_created',
      scope: { runId },
      dedupeKey: dedupeKeys.edgeCreated(this.session, runId, from, to, 'acked_step'),
      data: { edgeKind: 'acked_step', fromNodeId: from, toNodeId: to, cause: { kind, eventId } },
    });
  }

  notes(runId: RunId, nodeId: NodeId, outputId: OutputId, text: string): void {
    if (text.trim() === '') return;
    const notesMarkdown = truncateUtf8(text.toWellFormed(), MAX_NOTES_BYTES);
    this.output(runId, nodeId, {
      outputId,
      outputChannel: 'recap',
      payload: { payloadKind: 'notes', notesMarkdown },
    });
  }

  /** An artifact that is in the store already. */
  artifact(
    runId: RunId,
    nodeId: NodeId,
    outputId: OutputId,
    sha256: Digest,
    contentType: string,
    byteLength: number,
  ): void {
    const payload = { payloadKind: 'artifact_ref' as const, sha256, contentType, byteLength };
    this.output(runId, nodeId, { outputId, outputChannel: 'artifact', payload });
  }

  /** The artifact that carries the fact itself. */
  fact(runId: RunId, nodeId: NodeId, outputId: OutputId, content: JsonObject): void {
    this.carry(runId, nodeId, outputId, content, FACT_TYPE);
  }

  /** An artifact that tells of a consequence. */
  note(runId: RunId, nodeId: NodeId, outputId: OutputId, content: JsonObject): void {
    this.carry(runId, nodeId, outputId, content, NOTE_TYPE);
  }

  gap(
    runId: RunId,
    nodeId: NodeId,
    gapId: GapId,
    gap: Pick<GapRecorded, 'severity' | 'reason' | 'summary'>,
    resolves: GapId | null = null,
  ): void {
    this.add({
      kind: 'gap_recorded',
      scope: { runId, nodeId },
      dedupeKey: dedupeKeys.gapRecorded(this.session, gapId),
      data: {
        gapId,
        ...gap,
        summary: truncateUtf8(gap.summary.toWellFormed(), MAX_SUMMARY_BYTES),
        resolution: resolves ? { kind: 'resolves', resolvesGapId: resolves } : { kind: 'unresolved' },
      },
    });
  }

  context(
    runId: RunId,
    contextId: ContextId,
    source: 'initial' | 'agent_delta' | 'merge',
    context: JsonObject,
  ): void {
    this.add({
      kind: 'context_set',
      scope: { runId },
      dedupeKey: dedupeKeys.contextSet(this.session, runId, contextId),
      data: { contextId, context, source },
    });
  }

  divergence(
    runId: RunId,
    nodeId: NodeId,
    divergenceId: DivergenceId,
    reason: DivergenceReason,
    text: string,
  ): void {
    const summary = truncateUtf8(text.toWellFormed(), MAX_SUMMARY_BYTES);
    this.add({
      kind: 'divergence_recorded',
      scope: { runId, nodeId },
      dedupeKey: dedupeKeys.divergenceRecorded(this.session, divergenceId),
      data: { divergenceId, reason, summary },
    });
  }

  /** The program that a runtime hands its work to is not there. */
  capabilityMissing(runId: RunId, nodeId: NodeId, capObsId: CapabilityObservationId): void {
    this.add({
      kind: 'capability_observed',
      scope: { runId, nodeId },
      dedupeKey: dedupeKeys.capabilityObserved(this.session, capObsId),
      data: {
        capObsId,
        capability: 'delegation',
        status: 'unavailable',
        provenance: {
          kind: 'attempted_use',
          enforcementGrade: 'strong',
          detail: { attemptContext: 'workflow_step', result: 'failure', failureCode: 'tool_missing' },
        },
      },
    });
  }

  preferences(runId: RunId, nodeId: NodeId, data: PreferencesChanged): void {
    this.add({
      kind: 'preferences_changed',
      scope: { runId, nodeId },
      dedupeKey: dedupeKeys.preferencesChanged(this.session, data.changeId),
      data,
    });
  }

  /** Any other event, with its own key. */
  add(body: Body): PlannedEvent {
    // The methods above and the ledger give bodies of one kind each, with the key of that kind's recipe.
    const event = { eventId: this.mint(), timestampMs: this.at, ...body } as PlannedEvent;
    this.events.push(event);
    return event;
  }

  private advance(
    runId: RunId,
    nodeId: NodeId,
    attemptId: AttemptId,
    outcome:
      | { readonly kind: 'advanced'; readonly toNodeId: NodeId }
      | { readonly kind: 'blocked'; readonly blockers: BlockerReport },
  ): EventId {
    const dedupeKey = dedupeKeys.advanceRecorded(this.session, nodeId, attemptId);
    const data = { attemptId, intent: 'ack_pending' as const, outcome };
    return this.add({ kind: 'advance_recorded', scope: { runId, nodeId }, dedupeKey, data }).eventId;
  }

  private carry(runId: RunId, nodeId: NodeId, outputId: OutputId, content: JsonObject, type: string): void {
    const bytes = bytesOf(content);
    const digest = Digest.parse(sha256Digest(bytes));
    this.carried.push({ digest, bytes });
    this.artifact(runId, nodeId, outputId, digest, type, bytes.length);
  }

  private output(
    runId: RunId,
    nodeId: NodeId,
    data: Extract<PlannedEvent, { kind: 'node_output_appended' }>['data'],
  ): void {
    const dedupeKey = dedupeKeys.nodeOutputAppended(this.session, data.outputId);
    this.add({ kind: 'node_output_appended', scope: { runId, nodeId }, dedupeKey, data });
  }
}

/** A handful of snapshots serve every block of every run. */
const refs = new WeakMap<ExecutionSnapshot, SnapshotRef>();

function refOf(snapshot: ExecutionSnapshot): SnapshotRef {
  const ref = refs.get(snapshot) ?? SnapshotRef.parse(digestOf(snapshot)._unsafeUnwrap());
  refs.set(snapshot, ref);
  return ref;
}
