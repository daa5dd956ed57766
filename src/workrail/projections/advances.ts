/** What became of each attempt: what a replay answers from (locks, sections 1 and 1.2). */
import { type AttemptId, type EventIndex, type EventOf, type NodeId } from '../model';
import { type Projection } from '../ports';

/** One recorded attempt. */
export interface Advance {
  readonly attemptId: AttemptId;
  readonly outcome: EventOf<'advance_recorded'>['data']['outcome'];
  readonly recordedAt: EventIndex;
}

export interface Advances {
  /** Oldest first. An attempt belongs to its node: the same id elsewhere is another attempt. */
  readonly byNode: Map<NodeId, { readonly byAttempt: Map<AttemptId, Advance>; latest: Advance }>;
}

export const advances: Projection<Advances> = {
  name: 'advances',
  initial: () => ({ byNode: new Map() }),
  apply: ({ byNode }, event) => {
    if (event.kind !== 'advance_recorded') return;
    const { attemptId, outcome } = event.data;
    const latest: Advance = { attemptId, outcome, recordedAt: event.eventIndex };
    const ofNode = byNode.get(event.scope.nodeId) ?? { byAttempt: new Map<AttemptId, Advance>(), latest };
    byNode.set(event.scope.nodeId, ofNode);
    ofNode.byAttempt.set(attemptId, latest);
    ofNode.latest = latest;
  },
};

/** The recorded outcome of an attempt; null: there is none. */
export const advanceOf = ({ byNode }: Advances, nodeId: NodeId, attemptId: AttemptId): Advance | null =>
  byNode.get(nodeId)?.byAttempt.get(attemptId) ?? null;

/** The last attempt on a node. */
export const latestAdvance = ({ byNode }: Advances, nodeId: NodeId): Advance | null =>
  byNode.get(nodeId)?.latest ?? null;
