/** Sessions for tests, built fact by fact. */
import { digestOf } from '../../src/canonical';
import {
  AttemptId,
  CompiledWorkflow,
  dedupeKeys,
  EventId,
  NodeId,
  OutputId,
  RunId,
  SessionId,
  SnapshotRef,
  snapshotOf,
  StepId,
  WorkflowHash,
  WorkflowId,
  type AppendPlan,
  type Digest,
  type ExecutionSnapshot,
  type PlannedEvent,
} from '../../src/workrail/model';
import { type MemoryStore } from './memory-store';

export const workflow = (name = 'triage'): CompiledWorkflow =>
  CompiledWorkflow.parse({
    schemaVersion: 1,
    workflowId: `project.${name}`,
    capabilities: [],
    features: [],
    contracts: [],
    functions: [],
    walk: [{ kind: 'step', stepId: 'look' }],
    steps: [
      {
        stepId: 'look',
        title: 'Look',
        prompt: 'Look at it.',
        requireConfirmation: false,
        performedBy: 'agent',
        functionReferences: [],
        embeddedRefs: [],
        provenance: { source: 'authored' },
      },
    ],
    conditions: [],
    loops: [],
    compiledWarnings: [],
  });

const hashOf = (value: unknown): string => digestOf(value)._unsafeUnwrap();
const pending = (): ExecutionSnapshot =>
  snapshotOf({
    kind: 'running',
    completed: { kind: 'set', values: [] },
    loopStack: [],
    pending: { kind: 'some', step: { stepId: StepId.parse('look'), loopPath: [] } },
  });
const complete = (): ExecutionSnapshot => snapshotOf({ kind: 'complete' });

export interface SessionShape {
  readonly id?: string;
  readonly run?: string;
  readonly workflow?: CompiledWorkflow;
  /** Notes, one output each, a plan each. */
  readonly notes?: readonly string[];
  readonly artifacts?: readonly { readonly digest: Digest; readonly byteLength: number }[];
  /** How many notes go into one plan. */
  readonly notesAPlan?: number;
  readonly timestampMs?: number;
}

export const sessionId = (id = 'sess_one'): SessionId => SessionId.parse(id);

/** The plans of a session: created, a run with its root, notes and artifacts, an advance to the end. */
export function plansFor(shape: SessionShape = {}): readonly AppendPlan[] {
  const s = sessionId(shape.id);
  const run = RunId.parse(shape.run ?? 'run_one');
  const [root, end] = [NodeId.parse('node_root'), NodeId.parse('node_end')];
  const hash = WorkflowHash.parse(hashOf(shape.workflow ?? workflow()));
  const timestampMs = shape.timestampMs ?? 1_794_000_000_000;
  let count = 0;
  const event = (kind: string, dedupeKey: string, data: object, scope?: object): PlannedEvent =>
    ({
      eventId: EventId.parse(`evt_${s}_${count++}`),
      kind,
      ...(scope ? { scope } : {}),
      dedupeKey,
      data,
      timestampMs,
    }) as unknown as PlannedEvent;
  const node = (nodeId: NodeId, parentNodeId: NodeId | null, snapshot: ExecutionSnapshot): PlannedEvent =>
    event(
      'node_created',
      dedupeKeys.nodeCreated(s, run, nodeId),
      {
        nodeKind: 'step',
        parentNodeId,
        workflowHash: hash,
        snapshotRef: SnapshotRef.parse(hashOf(snapshot)),
      },
      { runId: run, nodeId },
    );
  const started: AppendPlan = {
    events: [
      event('session_created', dedupeKeys.sessionCreated(s), {}),
      event(
        'run_started',
        dedupeKeys.runStarted(s, run),
        {
          workflowId: WorkflowId.parse('project.triage'),
          workflowHash: hash,
          workflowSourceKind: 'project',
          workflowSourceRef: 'workflows/triage.json',
        },
        { runId: run },
      ),
      node(root, null, pending()),
    ],
    snapshots: [pending()],
  };
  const output = (id: string, data: object): PlannedEvent => {
    const outputId = OutputId.parse(id);
    const at = { runId: run, nodeId: root };
    return event(
      'node_output_appended',
      dedupeKeys.nodeOutputAppended(s, outputId),
      { outputId, ...data },
      at,
    );
  };
  const outputs = [
    ...(shape.notes ?? []).map((notesMarkdown, i) =>
      output(`out_${i}`, { outputChannel: 'recap', payload: { payloadKind: 'notes', notesMarkdown } }),
    ),
    ...(shape.artifacts ?? []).map(({ digest, byteLength }, i) =>
      output(`art_${i}`, {
        outputChannel: 'artifact',
        payload: { payloadKind: 'artifact_ref', sha256: digest, contentType: 'text/plain', byteLength },
      }),
    ),
  ];
  const plans: AppendPlan[] = [started];
  const size = shape.notesAPlan ?? 1;
  for (let i = 0; i < outputs.length; i += size) {
    const [first, ...rest] = outputs.slice(i, i + size);
    if (first) plans.push({ events: [first, ...rest], snapshots: [] });
  }
  const attemptId = AttemptId.parse('attempt_one');
  const advance = event(
    'advance_recorded',
    dedupeKeys.advanceRecorded(s, root, attemptId),
    { attemptId, intent: 'ack_pending', outcome: { kind: 'advanced', toNodeId: end } },
    { runId: run, nodeId: root },
  );
  const edge = event(
    'edge_created',
    dedupeKeys.edgeCreated(s, run, root, end, 'acked_step'),
    {
      edgeKind: 'acked_step',
      fromNodeId: root,
      toNodeId: end,
      cause: { kind: 'idempotent_replay', eventId: advance.eventId },
    },
    { runId: run },
  );
  plans.push({ events: [advance, node(end, root, complete()), edge], snapshots: [complete()] });
  return plans;
}

/** Put a session into a store, plan by plan. */
export async function makeSession(store: MemoryStore, shape: SessionShape = {}): Promise<SessionId> {
  const id = sessionId(shape.id);
  await store.workflows.put(shape.workflow ?? workflow());
  for (const plan of plansFor(shape)) {
    const done = await store.withSession(id, (_, witness) => store.append(witness, [plan]));
    if (done.isErr()) throw new Error(done.error.message);
  }
  return id;
}
