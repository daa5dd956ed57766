/** Writes the events of a session, one call each, with valid ids and places. */
import {
  applyPreferences,
  AttemptId,
  CapabilityObservationId,
  ChangeId,
  ContextId,
  dedupeKeys,
  DEFAULT_PREFERENCES,
  DivergenceId,
  DomainEvent,
  EventId,
  GapId,
  NodeId,
  OutputId,
  RunId,
  SessionId,
  SnapshotRef,
  snapshotOf,
  TraceId,
  WorkflowHash,
  WorkflowId,
  type Blocker,
  type Capability,
  type CapabilityStatus,
  type EdgeCause,
  type ExecutionSnapshot,
  type GapReason,
  type GapSeverity,
  type NodeKind,
  type PreferenceChange,
} from '../../src/workrail/model';
import { digestOf, sha256Digest, type JsonObject } from '../../src/canonical';

export const runId = (text: string): RunId => RunId.parse(text);
export const nodeId = (text: string): NodeId => NodeId.parse(text);
export const outputId = (text: string): OutputId => OutputId.parse(text);
export const gapId = (text: string): GapId => GapId.parse(text);
export const attemptId = (text: string): AttemptId => AttemptId.parse(text);

const HASH = WorkflowHash.parse(sha256Digest('a workflow'));
const RUNNING = snapshotOf({
  kind: 'running',
  completed: { kind: 'set', values: [] },
  loopStack: [],
  pending: { kind: 'none' },
});
const COMPLETE = snapshotOf({ kind: 'complete' });
const refOf = (snapshot: ExecutionSnapshot): SnapshotRef =>
  SnapshotRef.parse(digestOf(snapshot)._unsafeUnwrap());

/** Finds the two snapshots that scripted nodes refer to. */
export const scriptedSnapshots = (ref: SnapshotRef): ExecutionSnapshot | undefined =>
  [RUNNING, COMPLETE].find((one) => refOf(one) === ref);

/** A step's gap: what only a person can give. */
export const NEEDS_APPROVAL: GapReason = { category: 'user_only_dependency', detail: 'needs_user_approval' };

export class SessionScript {
  readonly events: DomainEvent[] = [];
  readonly sessionId: SessionId;
  private count = 0;

  constructor(session = 'sess_1') {
    this.sessionId = SessionId.parse(session);
    this.add({ kind: 'session_created', dedupeKey: dedupeKeys.sessionCreated(this.sessionId), data: {} });
  }

  run(run = 'run_1', workflowId = 'project.example'): this {
    return this.add({
      kind: 'run_started',
      scope: { runId: runId(run) },
      dedupeKey: dedupeKeys.runStarted(this.sessionId, runId(run)),
      data: {
        workflowId: WorkflowId.parse(workflowId),
        workflowHash: HASH,
        workflowSourceKind: 'project',
        workflowSourceRef: 'workflows/example.json',
      },
    });
  }

  node(
    id: string,
    parent: string | null,
    { kind = 'step', run = 'run_1', isEnd = false }: { kind?: NodeKind; run?: string; isEnd?: boolean } = {},
  ): this {
    return this.add({
      kind: 'node_created',
      scope: { runId: runId(run), nodeId: nodeId(id) },
      dedupeKey: dedupeKeys.nodeCreated(this.sessionId, runId(run), nodeId(id)),
      data: {
        nodeKind: kind,
        parentNodeId: parent === null ? null : nodeId(parent),
        workflowHash: HASH,
        snapshotRef: refOf(isEnd ? COMPLETE : RUNNING),
      },
    });
  }

  edge(from: string, to: string, cause: EdgeCause = 'idempotent_replay', run = 'run_1'): this {
    const edgeKind = cause === 'checkpoint_created' ? 'checkpoint' : 'acked_step';
    return this.add({
      kind: 'edge_created',
      scope: { runId: runId(run) },
      dedupeKey: dedupeKeys.edgeCreated(this.sessionId, runId(run), nodeId(from), nodeId(to), edgeKind),
      data: {
        edgeKind,
        fromNodeId: nodeId(from),
        toNodeId: nodeId(to),
        cause: { kind: cause, eventId: EventId.parse('evt_0') },
      },
    });
  }

  /** A child and the edge to it. */
  step(id: string, parent: string, more: { run?: string; isEnd?: boolean } = {}): this {
    return this.node(id, parent, more).edge(parent, id, 'idempotent_replay', more.run);
  }

  checkpoint(id: string, of: string): this {
    return this.node(id, of, { kind: 'checkpoint' }).edge(of, id, 'checkpoint_created');
  }

  notes(
    node: string,
    text: string,
    { id, supersedes, run }: { id?: string; supersedes?: string; run?: string } = {},
  ): this {
    const output = outputId(id ?? `out_${this.count}`);
    return this.add({
      kind: 'node_output_appended',
      ...this.at(node, run),
      dedupeKey: dedupeKeys.nodeOutputAppended(this.sessionId, output),
      data: {
        outputId: output,
        ...(supersedes === undefined ? {} : { supersedesOutputId: outputId(supersedes) }),
        outputChannel: 'recap',
        payload: { payloadKind: 'notes', notesMarkdown: text },
      },
    });
  }

  artifact(
    node: string,
    content: string,
    { id, supersedes }: { id?: string; supersedes?: string } = {},
  ): this {
    const output = outputId(id ?? `out_${this.count}`);
    return this.add({
      kind: 'node_output_appended',
      ...this.at(node),
      dedupeKey: dedupeKeys.nodeOutputAppended(this.sessionId, output),
      data: {
        outputId: output,
        ...(supersedes === undefined ? {} : { supersedesOutputId: outputId(supersedes) }),
        outputChannel: 'artifact',
        payload: {
          payloadKind: 'artifact_ref',
          sha256: sha256Digest(content),
          contentType: 'text/plain',
          byteLength: content.length,
        },
      },
    });
  }

  gap(
    node: string,
    id: string,
    {
      reason = NEEDS_APPROVAL,
      severity = 'critical',
      resolves,
      run,
    }: { reason?: GapReason; severity?: GapSeverity; resolves?: string; run?: string } = {},
  ): this {
    return this.add({
      kind: 'gap_recorded',
      ...this.at(node, run),
      dedupeKey: dedupeKeys.gapRecorded(this.sessionId, gapId(id)),
      data: {
        gapId: gapId(id),
        severity,
        reason,
        summary: 'Something is missing.',
        resolution:
          resolves === undefined
            ? { kind: 'unresolved' }
            : { kind: 'resolves', resolvesGapId: gapId(resolves) },
      },
    });
  }

  prefer(node: string, ...delta: PreferenceChange[]): this {
    const changeId = ChangeId.parse(`change_${this.count}`);
    return this.add({
      kind: 'preferences_changed',
      ...this.at(node),
      dedupeKey: dedupeKeys.preferencesChanged(this.sessionId, changeId),
      data: { changeId, source: 'user', delta, effective: applyPreferences(DEFAULT_PREFERENCES, delta) },
    });
  }

  capability(
    node: string,
    capability: Capability,
    status: CapabilityStatus,
    grade: 'strong' | 'weak' = 'strong',
  ): this {
    const capObsId = CapabilityObservationId.parse(`cap_${this.count}`);
    return this.add({
      kind: 'capability_observed',
      ...this.at(node),
      dedupeKey: dedupeKeys.capabilityObserved(this.sessionId, capObsId),
      data: {
        capObsId,
        capability,
        status,
        provenance:
          grade === 'strong'
            ? {
                kind: 'probe_step',
                enforcementGrade: 'strong',
                detail: {
                  probeTemplateId: 'wr.templates.capability_probe',
                  probeStepId: 'probe',
                  result: status === 'available' ? 'success' : 'failure',
                },
              }
            : {
                kind: 'manual_claim',
                enforcementGrade: 'weak',
                detail: { claimedBy: 'agent', claim: status === 'unavailable' ? 'unavailable' : 'available' },
              },
      },
    });
  }

  context(context: JsonObject, run = 'run_1'): this {
    const contextId = ContextId.parse(`ctx_${this.count}`);
    return this.add({
      kind: 'context_set',
      scope: { runId: runId(run) },
      dedupeKey: dedupeKeys.contextSet(this.sessionId, runId(run), contextId),
      data: { contextId, context, source: 'initial' },
    });
  }

  advanced(node: string, attempt: string, to: string): this {
    return this.advance(node, attempt, { kind: 'advanced', toNodeId: nodeId(to) });
  }

  blocked(node: string, attempt: string, blocker: Blocker): this {
    return this.advance(node, attempt, { kind: 'blocked', blockers: { blockers: [blocker] } });
  }

  diverge(node: string): this {
    const divergenceId = DivergenceId.parse(`div_${this.count}`);
    return this.add({
      kind: 'divergence_recorded',
      ...this.at(node),
      dedupeKey: dedupeKeys.divergenceRecorded(this.sessionId, divergenceId),
      data: { divergenceId, reason: 'efficiency_skip', summary: 'Skipped.' },
    });
  }

  trace(node: string): this {
    const traceId = TraceId.parse(`trace_${this.count}`);
    return this.add({
      kind: 'decision_trace_appended',
      ...this.at(node),
      dedupeKey: dedupeKeys.decisionTraceAppended(this.sessionId, traceId),
      data: { traceId, entries: [{ kind: 'selected_next_step', summary: 'The next one.' }] },
    });
  }

  branch(name: string): this {
    return this.add({
      kind: 'observation_recorded',
      dedupeKey: dedupeKeys.observationRecorded(this.sessionId, 'git_branch', sha256Digest(name)),
      data: { key: 'git_branch', value: { type: 'short_string', value: name }, confidence: 'high' },
    });
  }

  private advance(node: string, attempt: string, outcome: unknown): this {
    return this.add({
      kind: 'advance_recorded',
      ...this.at(node),
      dedupeKey: dedupeKeys.advanceRecorded(this.sessionId, nodeId(node), attemptId(attempt)),
      data: { attemptId: attemptId(attempt), intent: 'ack_pending', outcome },
    });
  }

  private at(node: string, run = 'run_1') {
    return { scope: { runId: runId(run), nodeId: nodeId(node) } };
  }

  /** Every event is read by its schema, so a script cannot write what a store would refuse. */
  private add(event: object): this {
    this.events.push(
      DomainEvent.parse({
        v: 1,
        eventId: `evt_${this.count}`,
        eventIndex: this.count,
        sessionId: this.sessionId,
        ...event,
      }),
    );
    this.count += 1;
    return this;
  }
}
