/**
 * What one event must agree on with those before it (locks, section 1: the invariants of `run_started`, `node_created`,
 * `edge_created` and `node_output_appended`, and that a scope names what is there). A schema sees one record; this sees the
 * session. For whoever takes events in: an append, a load, an import.
 */
import { type DomainEvent, type EventIndex, type EventOf } from '../model';
import { type NodeOutputs } from './node-outputs';
import { type Run, type RunDag } from './run-dag';

/** Which invariant an event breaks. */
export interface LineageFault {
  readonly code:
    | 'order_invalid'
    | 'run_missing'
    | 'run_duplicate'
    | 'node_missing'
    | 'node_duplicate'
    | 'parent_missing'
    | 'workflow_hash_mismatch'
    | 'edge_not_of_parent'
    | 'checkpoint_mismatch'
    | 'superseded_missing';
  readonly message: string;
}

/** The state before the event. */
export interface Before {
  readonly dag: RunDag;
  readonly outputs: NodeOutputs;
  readonly lastEventIndex: EventIndex | null;
}

/** What is wrong with an event after those before it; null: nothing. */
export function lineageFault(before: Before, event: DomainEvent): LineageFault | null {
  const expected = before.lastEventIndex === null ? 0 : before.lastEventIndex + 1;
  if (event.eventIndex !== expected) {
    return fault('order_invalid', `Event ${event.eventIndex} stands where ${expected} is due.`);
  }
  if (event.kind === 'session_created' || event.kind === 'observation_recorded') return null;
  const { runId } = event.scope;
  const run = before.dag.runs.get(runId);
  if (event.kind === 'run_started') {
    return run ? fault('run_duplicate', `Run ${runId} has been started already.`) : null;
  }
  if (!run) return fault('run_missing', `Run ${runId} has not been started.`);
  switch (event.kind) {
    case 'context_set':
      return null;
    case 'node_created':
      return nodeFault(before.dag, run, event);
    case 'edge_created':
      return edgeFault(run, event);
    default:
      if (!run.nodes.has(event.scope.nodeId)) {
        return fault('node_missing', `Run ${runId} has no node ${event.scope.nodeId}.`);
      }
      return event.kind === 'node_output_appended' ? outputFault(before.outputs, event) : null;
  }
}

function nodeFault(dag: RunDag, run: Run, { scope, data }: EventOf<'node_created'>): LineageFault | null {
  if (dag.runOf.has(scope.nodeId)) return fault('node_duplicate', `Node ${scope.nodeId} is there already.`);
  if (run.workflow && run.workflow.workflowHash !== data.workflowHash) {
    return fault(
      'workflow_hash_mismatch',
      `Node ${scope.nodeId} is not of the workflow its run is pinned to.`,
    );
  }
  if (data.parentNodeId !== null && !run.nodes.has(data.parentNodeId)) {
    return fault(
      'parent_missing',
      `Node ${scope.nodeId} has a parent that its run has not: ${data.parentNodeId}.`,
    );
  }
  if (data.parentNodeId === null && run.roots.length > 0) {
    return fault('parent_missing', `Node ${scope.nodeId} has no parent, and its run has a root already.`);
  }
  return null;
}

function edgeFault(run: Run, { data }: EventOf<'edge_created'>): LineageFault | null {
  const { fromNodeId, toNodeId, edgeKind } = data;
  const to = run.nodes.get(toNodeId);
  if (!to || !run.nodes.has(fromNodeId)) {
    return fault('node_missing', `The edge ${fromNodeId} → ${toNodeId} has an end that its run has not.`);
  }
  if (to.parentNodeId !== fromNodeId) {
    return fault('edge_not_of_parent', `Node ${toNodeId} is not a child of ${fromNodeId}.`);
  }
  if (edgeKind === 'checkpoint' && to.nodeKind !== 'checkpoint') {
    return fault('checkpoint_mismatch', `Node ${toNodeId} is no checkpoint.`);
  }
  return null;
}

/** Whether an output supersedes one that its node and channel have. */
export function outputFault(
  outputs: NodeOutputs,
  { scope, data }: EventOf<'node_output_appended'>,
): LineageFault | null {
  const { supersedesOutputId, outputChannel } = data;
  if (supersedesOutputId === undefined) return null;
  return outputs.byNode.get(scope.nodeId)?.[outputChannel].history.has(supersedesOutputId)
    ? null
    : fault(
        'superseded_missing',
        `Node ${scope.nodeId} has no ${outputChannel} output ${supersedesOutputId}.`,
      );
}

const fault = (code: LineageFault['code'], message: string): LineageFault => ({ code, message });
