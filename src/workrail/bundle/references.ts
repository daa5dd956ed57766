/** What the events of a bundle refer to must be in it: snapshots, workflows, runs and nodes. */
import { type DomainEvent, type SnapshotRef, type WorkflowHash } from '../model';
import { type Faults } from './fault';
import { type Pace } from './pace';

interface Contents {
  readonly events: readonly DomainEvent[];
  readonly snapshots: ReadonlyMap<SnapshotRef, unknown>;
  readonly workflows: ReadonlyMap<WorkflowHash, unknown>;
}

export async function checkReferences(
  { events, snapshots, workflows }: Contents,
  pace: Pace,
  faults: Faults,
): Promise<void> {
  for (const event of events) {
    const where = `session/events/${event.eventIndex}`;
    if (event.kind === 'node_created' && !snapshots.has(event.data.snapshotRef)) {
      faults.note(
        'snapshots',
        where,
        `refers to the snapshot ${event.data.snapshotRef}, which is not in the bundle`,
      );
    }
    if (
      (event.kind === 'run_started' || event.kind === 'node_created') &&
      !workflows.has(event.data.workflowHash)
    ) {
      faults.note(
        'workflows',
        where,
        `refers to the workflow ${event.data.workflowHash}, which is not in the bundle`,
      );
    }
  }
  await checkLinks(events, pace, faults);
}

/** A slash is in no id. */
const nodeKey = (runId: string, nodeId: string): string => `${runId}/${nodeId}`;

async function checkLinks(events: readonly DomainEvent[], pace: Pace, faults: Faults): Promise<void> {
  const runs = new Map<string, WorkflowHash>();
  const nodes = new Set<string>();
  const [eventIds, dedupeKeys] = [new Set<string>(), new Set<string>()];
  for (const event of events) {
    await pace.step();
    const fault = (why: string) => faults.note('links', `session/events/${event.eventIndex}`, why);
    if ((event.eventIndex === 0) !== (event.kind === 'session_created')) {
      fault('is not in its place: the first event, and only the first, is session_created');
    }
    if (eventIds.has(event.eventId)) fault(`has the eventId ${event.eventId} of an earlier one`);
    if (dedupeKeys.has(event.dedupeKey)) fault(`has the dedupeKey ${event.dedupeKey} of an earlier one`);
    eventIds.add(event.eventId);
    dedupeKeys.add(event.dedupeKey);
    if (event.kind === 'run_started') {
      if (runs.has(event.scope.runId)) fault(`starts the run ${event.scope.runId} again`);
      runs.set(event.scope.runId, event.data.workflowHash);
    }
    if (event.kind !== 'node_created') continue;
    const { runId, nodeId } = event.scope;
    const { parentNodeId, workflowHash } = event.data;
    if (runs.get(runId) !== workflowHash) fault('has a workflowHash that its run is not pinned to');
    if (nodes.has(nodeKey(runId, nodeId))) fault(`creates the node ${nodeId} again`);
    if (parentNodeId !== null && !nodes.has(nodeKey(runId, parentNodeId))) {
      fault(`has the parent ${parentNodeId}, which is no earlier node of its run`);
    }
    nodes.add(nodeKey(runId, nodeId));
  }
  // An advance may stand before the node it leads to: places are looked up when all of them are known.
  for (const event of events) {
    await pace.step();
    const missing = placesOf(event).find(
      ({ runId, nodeId }) => !runs.has(runId) || (nodeId !== undefined && !nodes.has(nodeKey(runId, nodeId))),
    );
    if (!missing) continue;
    const what = missing.nodeId === undefined ? `the run ${missing.runId}` : `the node ${missing.nodeId}`;
    faults.note(
      'links',
      `session/events/${event.eventIndex}`,
      `refers to ${what}, which is not in the bundle`,
    );
  }
}

interface Place {
  readonly runId: string;
  readonly nodeId?: string | undefined;
}

/** The places an event names: its scope, and the ends of edges and advances. */
function placesOf(event: DomainEvent): readonly Place[] {
  if (event.scope === undefined) return [];
  const { scope } = event;
  const at = (nodeId: string): Place => ({ runId: scope.runId, nodeId });
  if (event.kind === 'edge_created') return [scope, at(event.data.fromNodeId), at(event.data.toNodeId)];
  if (event.kind === 'advance_recorded' && event.data.outcome.kind === 'advanced') {
    return [scope, at(event.data.outcome.toNodeId)];
  }
  return [scope];
}
