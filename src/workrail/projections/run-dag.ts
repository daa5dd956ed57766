/**
 * The runs of a session as DAGs of nodes (locks, sections 1.1 and 2). A node's parent stands in its `node_created`, and an
 * edge never says otherwise, so ancestry is a walk up the parents; `jump` makes that walk logarithmic (each node also
 * knows one ancestor far above it), however long a run gets.
 *
 * A checkpoint marks a place and opens no branch: it and the node it hangs on are one `place`. So a checkpoint does not
 * make its node a non-tip and is no tip itself, and what happens at it happens at that node. What somebody goes on with
 * from a checkpoint is a branch like any other.
 */
import {
  type DomainEvent,
  type EventIndex,
  type EventOf,
  type NodeId,
  type NodeKind,
  type RunId,
  type SnapshotRef,
  type WorkflowHash,
} from '../model';
import { type Projection } from '../ports';

/** A node of a run. */
export interface RunNode {
  readonly nodeId: NodeId;
  readonly nodeKind: NodeKind;
  readonly parentNodeId: NodeId | null;
  readonly workflowHash: WorkflowHash;
  readonly snapshotRef: SnapshotRef;
  readonly createdAt: EventIndex;
  /** In the order of their creation. */
  readonly children: NodeId[];
  /** The node itself; of a checkpoint: the place of what it hangs on. */
  readonly place: NodeId;
  /** How many ancestors it has. */
  readonly depth: number;
  /** An ancestor further up, or the node itself where there is none. */
  readonly jump: NodeId;
}

/** An edge of a run, as recorded. */
export type RunEdge = EventOf<'edge_created'>['data'] & { readonly createdAt: EventIndex };

/** One run. */
export interface Run {
  readonly runId: RunId;
  /** Null: nodes came without a `run_started`, which a valid session never has. */
  workflow: EventOf<'run_started'>['data'] | null;
  readonly nodes: Map<NodeId, RunNode>;
  readonly edges: RunEdge[];
  readonly roots: NodeId[];
  /** Places without a child, the ends of the branches, in the order of their creation. */
  readonly leaves: Set<NodeId>;
  /** The place that was created last: always a leaf. */
  newest: NodeId | null;
  /** The last event that touched a node, and the place it touched highest up. */
  activity: { readonly at: NodeId; readonly eventIndex: EventIndex } | null;
}

export interface RunDag {
  readonly runs: Map<RunId, Run>;
  /** Which run a node is of. */
  readonly runOf: Map<NodeId, Run>;
}

export const runDag: Projection<RunDag> = {
  name: 'run_dag',
  initial: () => ({ runs: new Map(), runOf: new Map() }),
  apply: (dag, event) => {
    switch (event.kind) {
      case 'run_started':
        runIn(dag, event.scope.runId).workflow = event.data;
        return;
      case 'node_created':
        addNode(dag, event);
        return;
      case 'edge_created': {
        const run = runIn(dag, event.scope.runId);
        run.edges.push({ ...event.data, createdAt: event.eventIndex });
        // It touches both ends, and whatever comes below its beginning has both in its history or comes after it.
        touch(run, event.data.fromNodeId, event);
        return;
      }
      case 'node_output_appended':
      case 'gap_recorded':
      case 'capability_observed':
      case 'preferences_changed':
      case 'divergence_recorded':
        touch(runIn(dag, event.scope.runId), event.scope.nodeId, event);
        return;
      default:
        // The locks name the kinds that count as activity; attempts and traces are not among them.
        return;
    }
  },
};

/** Whether `ancestor` is the node itself or above it. */
export function isInHistory(run: Run, ancestor: NodeId, nodeId: NodeId): boolean {
  const target = run.nodes.get(ancestor);
  let node = run.nodes.get(nodeId);
  if (!target) return false;
  while (node && node.depth > target.depth) {
    const far = run.nodes.get(node.jump);
    node = far && far.depth >= target.depth && far !== node ? far : above(run, node);
  }
  return node === target;
}

/** The node and its ancestors, from the node up to its root. */
export function* historyOf(run: Run, nodeId: NodeId): Generator<RunNode> {
  for (let node = run.nodes.get(nodeId); node; node = above(run, node)) yield node;
}

/** Whether work goes on from here: nothing but checkpoints follows the node. */
export function isTip(run: Run, nodeId: NodeId): boolean {
  const node = run.nodes.get(nodeId);
  return node !== undefined && run.leaves.has(node.place);
}

/** Up to where the depth is 0: a parent that nobody had created is none, so no record can make the walk go round. */
const above = (run: Run, node: RunNode): RunNode | undefined =>
  node.depth === 0 || node.parentNodeId === null ? undefined : run.nodes.get(node.parentNodeId);

function runIn(dag: RunDag, runId: RunId): Run {
  const known = dag.runs.get(runId);
  if (known) return known;
  const run: Run = {
    runId,
    workflow: null,
    nodes: new Map(),
    edges: [],
    roots: [],
    leaves: new Set(),
    newest: null,
    activity: null,
  };
  dag.runs.set(runId, run);
  return run;
}

function addNode(dag: RunDag, event: EventOf<'node_created'>): void {
  const { runId, nodeId } = event.scope;
  const run = runIn(dag, runId);
  // A node is created once; a record that says so twice adds nothing.
  if (run.nodes.has(nodeId)) return;
  const parent = event.data.parentNodeId === null ? undefined : run.nodes.get(event.data.parentNodeId);
  const isMark = event.data.nodeKind === 'checkpoint' && parent !== undefined;
  const node: RunNode = {
    nodeId,
    ...event.data,
    createdAt: event.eventIndex,
    children: [],
    place: isMark ? parent.place : nodeId,
    depth: parent ? parent.depth + 1 : 0,
    jump: parent ? jumpFrom(run, parent) : nodeId,
  };
  run.nodes.set(nodeId, node);
  dag.runOf.set(nodeId, run);
  if (parent) parent.children.push(nodeId);
  else run.roots.push(nodeId);
  if (!isMark) {
    if (parent) run.leaves.delete(parent.place);
    run.leaves.add(nodeId);
    run.newest = nodeId;
  }
  touch(run, nodeId, event);
}

/** Jumps double as in a skew-binary number: where the two jumps above span equal ways, take both at once. */
function jumpFrom(run: Run, parent: RunNode): NodeId {
  const near = run.nodes.get(parent.jump) ?? parent;
  const far = run.nodes.get(near.jump) ?? near;
  return parent.depth - near.depth === near.depth - far.depth ? far.nodeId : parent.nodeId;
}

function touch(run: Run, nodeId: NodeId, event: DomainEvent): void {
  const node = run.nodes.get(nodeId);
  if (node) run.activity = { at: node.place, eventIndex: event.eventIndex };
}
