/** Small sessions for the store's tests. */
import { type Result } from 'neverthrow';
import {
  AttemptId,
  dedupeKeys,
  Digest,
  EventId,
  NodeId,
  OutputId,
  RunId,
  SessionId,
  snapshotOf,
  WorkflowHash,
  type AppendPlan,
  type Appended,
  type CompiledWorkflow,
  type ExecutionSnapshot,
  type PlannedEvent,
  type SnapshotRef,
} from '../../../src/workrail/model';
import { digestOf } from '../../../src/canonical';
import { openWorkrailStore, type StoreOptions, type WorkrailStore } from '../../../src/workrail/local';
import { type RailyardError } from '../../../src/errors';

export const SESSION = SessionId.parse('sess_test');
export const RUN = RunId.parse('run_1');

export const unwrap = <T>(result: Result<T, RailyardError>): T => {
  if (result.isErr()) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

/** The code of an error; "ok" where there is none. */
export const codeOf = (result: Result<unknown, { readonly code: string }>): string =>
  result.isErr() ? result.error.code : 'ok';

export const openStore = async (options: StoreOptions): Promise<WorkrailStore> =>
  unwrap(await openWorkrailStore(options));

/** A workflow of one step; its name makes it another. */
export const workflow = (name = 'Test'): CompiledWorkflow =>
  ({
    schemaVersion: 1,
    workflowId: 'project.test',
    name,
    capabilities: [],
    features: [],
    contracts: [],
    functions: [],
    walk: [{ kind: 'step', stepId: 'one' }],
    steps: [
      {
        stepId: 'one',
        title: 'One',
        prompt: 'Do it.',
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
    // Its ids are of the shape their brands promise; the store checks them when it keeps it.
  }) as unknown as CompiledWorkflow;

export const HASH = WorkflowHash.parse(digestOf(workflow())._unsafeUnwrap());

/** A snapshot of its own for each number. */
export const snapshot = (n: number): ExecutionSnapshot =>
  snapshotOf({
    kind: 'running',
    completed: { kind: 'set', values: [`step${n}` as never] },
    loopStack: [],
    pending: { kind: 'none' },
  });

export const refOf = (value: ExecutionSnapshot): SnapshotRef =>
  // A digest is what a reference is.
  digestOf(value)._unsafeUnwrap() as string as SnapshotRef;

let events = 0;
/** An id of its own for every event, as a planner mints it. */
export const eventId = (): EventId => EventId.parse(`evt_${process.pid}_${events++}`);

export const nodeId = (n: number): NodeId => NodeId.parse(`node_${n}`);

const node = (s: SessionId, n: number, parent: number | null, snapshotRef: SnapshotRef): PlannedEvent => ({
  eventId: eventId(),
  kind: 'node_created',
  dedupeKey: dedupeKeys.nodeCreated(s, RUN, nodeId(n)),
  scope: { runId: RUN, nodeId: nodeId(n) },
  data: {
    nodeKind: 'step',
    parentNodeId: parent === null ? null : nodeId(parent),
    workflowHash: HASH,
    snapshotRef,
  },
});

/** The plan that makes a session, with a run and its root. */
export const birth = (s: SessionId = SESSION): AppendPlan => ({
  events: [
    { eventId: eventId(), kind: 'session_created', dedupeKey: dedupeKeys.sessionCreated(s), data: {} },
    {
      eventId: eventId(),
      kind: 'run_started',
      dedupeKey: dedupeKeys.runStarted(s, RUN),
      scope: { runId: RUN },
      data: {
        workflowId: 'project.test' as never,
        workflowHash: HASH,
        workflowSourceKind: 'project',
        workflowSourceRef: 'workflows/test.json',
      },
    },
    node(s, 0, null, refOf(snapshot(0))),
  ],
  snapshots: [snapshot(0)],
});

/** A note at the root: a plan of one event without a snapshot. */
export const note = (n: number | string, s: SessionId = SESSION, text = `note ${n}`): AppendPlan => {
  const outputId = OutputId.parse(`out_${n}`);
  return {
    events: [
      {
        eventId: eventId(),
        kind: 'node_output_appended',
        dedupeKey: dedupeKeys.nodeOutputAppended(s, outputId),
        scope: { runId: RUN, nodeId: nodeId(0) },
        data: { outputId, outputChannel: 'recap', payload: { payloadKind: 'notes', notesMarkdown: text } },
      },
    ],
    snapshots: [],
  };
};

/** An output at the root that refers to bytes. */
export const artifact = (name: string, digest: string, byteLength: number): AppendPlan => {
  const outputId = OutputId.parse(`art_${name}`);
  const payload = { payloadKind: 'artifact_ref' as const, sha256: Digest.parse(digest), byteLength };
  return {
    events: [
      {
        eventId: eventId(),
        kind: 'node_output_appended',
        dedupeKey: dedupeKeys.nodeOutputAppended(SESSION, outputId),
        scope: { runId: RUN, nodeId: nodeId(0) },
        data: { outputId, outputChannel: 'artifact', payload: { ...payload, contentType: 'text/plain' } },
      },
    ],
    snapshots: [],
  };
};

/** An advance from the root to a new node, with the node's snapshot unless the store has it. */
export const advance = (
  n: number,
  state = snapshot(n),
  snapshots = [state],
  s: SessionId = SESSION,
): AppendPlan => {
  const attemptId = AttemptId.parse(`attempt_${n}`);
  const recorded = eventId();
  return {
    events: [
      {
        eventId: recorded,
        kind: 'advance_recorded',
        dedupeKey: dedupeKeys.advanceRecorded(s, nodeId(0), attemptId),
        scope: { runId: RUN, nodeId: nodeId(0) },
        data: { attemptId, intent: 'ack_pending', outcome: { kind: 'advanced', toNodeId: nodeId(n) } },
      },
      node(s, n, 0, refOf(state)),
      {
        eventId: eventId(),
        kind: 'edge_created',
        dedupeKey: dedupeKeys.edgeCreated(s, RUN, nodeId(0), nodeId(n), 'acked_step'),
        scope: { runId: RUN },
        data: {
          edgeKind: 'acked_step',
          fromNodeId: nodeId(0),
          toNodeId: nodeId(n),
          cause: { kind: 'idempotent_replay', eventId: recorded },
        },
      },
    ],
    snapshots,
  };
};

/** Append plans in a gate of their own. */
export const append = (
  { sessions }: WorkrailStore,
  plans: readonly AppendPlan[],
  s: SessionId = SESSION,
): Promise<Result<readonly Appended[], RailyardError>> =>
  sessions.withSession(s, (_, witness) => sessions.append(witness, plans));

/** A store with a session that has its run and root. */
export async function bornStore(options: StoreOptions): Promise<WorkrailStore> {
  const store = await openStore(options);
  unwrap(await store.workflows.put(workflow()));
  unwrap(await append(store, [birth()]));
  return store;
}
