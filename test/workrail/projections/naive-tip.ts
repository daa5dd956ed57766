/** The rule of the preferred tip as the locks write it, without a thought for speed: what the fast one is held against. */
import { type DomainEvent } from '../../../src/workrail/model';

interface Seen {
  readonly id: string;
  readonly parent: string | null;
  readonly isMark: boolean;
  readonly createdAt: number;
}

export function naiveTip(events: readonly DomainEvent[], runId: string): string | undefined {
  const nodes = events.flatMap((event): Seen[] =>
    event.kind === 'node_created' && event.scope.runId === runId
      ? [
          {
            id: event.scope.nodeId,
            parent: event.data.parentNodeId,
            isMark: event.data.nodeKind === 'checkpoint' && event.data.parentNodeId !== null,
            createdAt: event.eventIndex,
          },
        ]
      : [],
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // A checkpoint and the node it hangs on are one place.
  const place = (id: string): string => {
    const node = byId.get(id);
    return node?.isMark && node.parent !== null ? place(node.parent) : id;
  };
  const history = (id: string): string[] => {
    const parent = byId.get(id)?.parent ?? null;
    return [place(id), ...(parent === null ? [] : history(parent))];
  };
  const lastActivity = (leaf: string): number => {
    const seen = new Set(history(leaf));
    return Math.max(
      ...events.filter((event) => touched(event).some((id) => seen.has(place(id)))).map((e) => e.eventIndex),
    );
  };
  const places = nodes.filter(({ isMark }) => !isMark);
  const leaves = places.filter(
    ({ id }) => !places.some((child) => child.parent !== null && place(child.parent) === id),
  );
  return leaves
    .map((leaf) => ({ ...leaf, last: lastActivity(leaf.id) }))
    .sort((a, b) => b.last - a.last || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))[0]?.id;
}

function touched(event: DomainEvent): readonly string[] {
  switch (event.kind) {
    case 'edge_created':
      return [event.data.fromNodeId, event.data.toNodeId];
    case 'node_created':
    case 'node_output_appended':
    case 'gap_recorded':
    case 'capability_observed':
    case 'preferences_changed':
    case 'divergence_recorded':
      return [event.scope.nodeId];
    default:
      return [];
  }
}
