/** What the store's benchmark appends. */
import { type Result } from 'neverthrow';
import { digestOf } from '../src/canonical';
import { type RailyardError } from '../src/errors';
import { systemMinting, type WorkrailStore } from '../src/workrail/local';
import {
  CompiledWorkflow,
  dedupeKeys,
  NodeId,
  OutputId,
  RunId,
  SnapshotRef,
  snapshotOf,
  StepInstanceKey,
  WorkflowId,
  AttemptId,
  type AppendPlan,
  type PlannedEvent,
  type SessionId,
  type WorkflowHash,
} from '../src/workrail/model';

const RUN = RunId.parse('run_bench');
const ROOT_NODE = NodeId.parse('node_0');

export function unwrap<T>(result: Result<T, RailyardError>): T {
  if (result.isErr()) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

let pinned: WorkflowHash | null = null;

/** A workflow of one step, in the store. */
export async function pinWorkflow({ workflows }: WorkrailStore): Promise<WorkflowHash> {
  const step = {
    stepId: 'one',
    title: 'One',
    prompt: 'Do it.',
    requireConfirmation: false,
    performedBy: 'agent',
  };
  const workflow = CompiledWorkflow.parse({
    schemaVersion: 1,
    workflowId: 'project.bench',
    ...{
      capabilities: [],
      features: [],
      contracts: [],
      functions: [],
      conditions: [],
      loops: [],
      compiledWarnings: [],
    },
    walk: [{ kind: 'step', stepId: 'one' }],
    steps: [{ ...step, functionReferences: [], embeddedRefs: [], provenance: { source: 'authored' } }],
  });
  pinned = unwrap(await workflows.put(workflow));
  return pinned;
}

const stateOf = (n: number) =>
  snapshotOf({
    kind: 'running',
    completed: { kind: 'set', values: [StepInstanceKey.parse(`step${n}`)] },
    loopStack: [],
    pending: { kind: 'none' },
  });

function nodeEvent(s: SessionId, n: number, hash: WorkflowHash): PlannedEvent {
  const nodeId = NodeId.parse(`node_${n}`);
  return {
    eventId: systemMinting.eventId(),
    kind: 'node_created',
    dedupeKey: dedupeKeys.nodeCreated(s, RUN, nodeId),
    scope: { runId: RUN, nodeId },
    data: {
      nodeKind: 'step',
      parentNodeId: n === 0 ? null : ROOT_NODE,
      workflowHash: hash,
      snapshotRef: SnapshotRef.parse(digestOf(stateOf(n))._unsafeUnwrap()),
    },
  };
}

/** A session, its run and its root. */
export function birthPlan(s: SessionId, workflowHash: WorkflowHash): AppendPlan {
  const data = {
    workflowId: WorkflowId.parse('project.bench'),
    workflowHash,
    workflowSourceKind: 'project' as const,
    workflowSourceRef: 'bench',
  };
  return {
    events: [
      {
        eventId: systemMinting.eventId(),
        kind: 'session_created',
        dedupeKey: dedupeKeys.sessionCreated(s),
        data: {},
      },
      {
        eventId: systemMinting.eventId(),
        kind: 'run_started',
        dedupeKey: dedupeKeys.runStarted(s, RUN),
        scope: { runId: RUN },
        data,
      },
      nodeEvent(s, 0, workflowHash),
    ],
    snapshots: [stateOf(0)],
  };
}

/** Some notes at the root. */
export function notesPlan(s: SessionId, name: string, count: number): AppendPlan {
  const one = (n: number): PlannedEvent => {
    const outputId = OutputId.parse(`out_${name.replace('-', 'm')}_${n}`);
    return {
      eventId: systemMinting.eventId(),
      kind: 'node_output_appended',
      dedupeKey: dedupeKeys.nodeOutputAppended(s, outputId),
      scope: { runId: RUN, nodeId: ROOT_NODE },
      data: {
        outputId,
        outputChannel: 'recap',
        payload: { payloadKind: 'notes', notesMarkdown: `Finished ${name}; nothing is left to do here.` },
      },
    };
  };
  const more = Array.from({ length: count - 1 }, (_, n) => one(n + 1));
  return { events: [one(0), ...more], snapshots: [] };
}

/** An advance from the root to a node of its own, with a snapshot that the store does not have: four events. */
export function advancePlan(s: SessionId, n: number): AppendPlan {
  if (pinned === null) throw new Error('No workflow is pinned.');
  const [nodeId, attemptId, recorded] = [
    NodeId.parse(`node_${n}`),
    AttemptId.parse(`a_${n}`),
    systemMinting.eventId(),
  ];
  return {
    events: [
      {
        eventId: recorded,
        kind: 'advance_recorded',
        dedupeKey: dedupeKeys.advanceRecorded(s, ROOT_NODE, attemptId),
        scope: { runId: RUN, nodeId: ROOT_NODE },
        data: { attemptId, intent: 'ack_pending', outcome: { kind: 'advanced', toNodeId: nodeId } },
      },
      nodeEvent(s, n, pinned),
      {
        eventId: systemMinting.eventId(),
        kind: 'edge_created',
        dedupeKey: dedupeKeys.edgeCreated(s, RUN, ROOT_NODE, nodeId, 'acked_step'),
        scope: { runId: RUN },
        data: {
          edgeKind: 'acked_step',
          fromNodeId: ROOT_NODE,
          toNodeId: nodeId,
          cause: { kind: 'idempotent_replay', eventId: recorded },
        },
      },
      ...notesPlan(s, `advance_${n}`, 1).events,
    ],
    snapshots: [stateOf(n)],
  };
}
