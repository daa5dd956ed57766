/** Gaps and which of them are open: a later record that resolves one closes it, and changes nothing (locks, section 3). */
import { type EventIndex, type GapId, type GapRecorded, type NodeId, type RunId } from '../model';
import { type Projection } from '../ports';

/** One recorded gap; a record that resolves another is one too, and was never open. */
export interface Gap extends GapRecorded {
  readonly runId: RunId;
  readonly nodeId: NodeId;
  readonly recordedAt: EventIndex;
}

export interface Gaps {
  readonly byId: Map<GapId, Gap>;
  /** Which record resolved a gap first. */
  readonly resolvedBy: Map<GapId, GapId>;
  readonly openByRun: Map<RunId, Set<GapId>>;
  readonly openByNode: Map<NodeId, Set<GapId>>;
  /** So that whether a run has open critical gaps is known without looking at them. */
  readonly openCritical: Map<RunId, number>;
}

export const gaps: Projection<Gaps> = {
  name: 'gaps',
  initial: () => ({
    byId: new Map(),
    resolvedBy: new Map(),
    openByRun: new Map(),
    openByNode: new Map(),
    openCritical: new Map(),
  }),
  apply: (state, event) => {
    if (event.kind !== 'gap_recorded' || state.byId.has(event.data.gapId)) return;
    const gap: Gap = { ...event.data, ...event.scope, recordedAt: event.eventIndex };
    const { resolution } = gap;
    if (resolution.kind === 'resolves') close(state, resolution.resolvesGapId, gap.gapId);
    state.byId.set(gap.gapId, gap);
    if (resolution.kind === 'unresolved') open(state, gap);
  },
};

/** The open gaps of a node, in their order. */
export const openGapsOfNode = (state: Gaps, nodeId: NodeId): readonly Gap[] =>
  listed(state, state.openByNode.get(nodeId));

/** The open gaps of a run, in their order. */
export const openGapsOfRun = (state: Gaps, runId: RunId): readonly Gap[] =>
  listed(state, state.openByRun.get(runId));

export const hasOpenCriticalGaps = ({ openCritical }: Gaps, runId: RunId): boolean =>
  (openCritical.get(runId) ?? 0) > 0;

const listed = ({ byId }: Gaps, ids: ReadonlySet<GapId> | undefined): Gap[] =>
  [...(ids ?? [])].flatMap((id) => byId.get(id) ?? []);

function open(state: Gaps, { gapId, runId, nodeId, severity }: Gap): void {
  setOf(state.openByRun, runId).add(gapId);
  setOf(state.openByNode, nodeId).add(gapId);
  if (severity === 'critical') state.openCritical.set(runId, (state.openCritical.get(runId) ?? 0) + 1);
}

function close(state: Gaps, gapId: GapId, by: GapId): void {
  const gap = state.byId.get(gapId);
  if (!gap || state.resolvedBy.has(gapId)) return;
  state.resolvedBy.set(gapId, by);
  const wasOpen = state.openByRun.get(gap.runId)?.delete(gapId) ?? false;
  state.openByNode.get(gap.nodeId)?.delete(gapId);
  if (wasOpen && gap.severity === 'critical') {
    state.openCritical.set(gap.runId, (state.openCritical.get(gap.runId) ?? 1) - 1);
  }
}

function setOf<K>(map: Map<K, Set<GapId>>, key: K): Set<GapId> {
  const set = map.get(key) ?? new Set();
  map.set(key, set);
  return set;
}
