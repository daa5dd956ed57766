/** What was disclosed at a place, as it was when the place was made: later gaps and resolutions change no answer given before. */
import { type BlockerReport, TRUNCATION_MARKER, recommendationWarnings } from '../model';
import { currentNotes, type Gap } from '../projections';
import { derived } from './derived-ids';
import { type Place, preferencesAt } from './place';

/** Gaps as of the making of a place. */
export interface GapsThen {
  /** Of the run, not resolved then. */
  readonly openCount: number;
  /** Those that came with the place. */
  readonly own: readonly Gap[];
}

export function gapsThen({ view: { gaps }, run, node }: Place): GapsThen {
  const isThen = (gap: Gap): boolean => gap.recordedAt < node.createdAt || gap.nodeId === node.nodeId;
  const ofRun = [...gaps.byId.values()].filter(({ runId }) => runId === run.runId).filter(isThen);
  const unresolved = ofRun.filter(({ resolution }) => resolution.kind === 'unresolved');
  const open = unresolved.filter(({ gapId }) => {
    const by = gaps.resolvedBy.get(gapId);
    const resolver = by === undefined ? undefined : gaps.byId.get(by);
    return !resolver || !isThen(resolver);
  });
  return { openCount: open.length, own: unresolved.filter(({ nodeId }) => nodeId === node.nodeId) };
}

/** Open gaps of the run now. */
export const gapCountNow = ({ view, run }: Place): number => view.gaps.openByRun.get(run.runId)?.size ?? 0;

/** Why the attempt that made a node was blocked; null: it was not. */
export function blockersAt({ view, run, node }: Place): BlockerReport | null {
  const { parentNodeId } = node;
  if (node.nodeKind !== 'blocked_attempt' || parentNodeId === null) return null;
  for (const { attemptId, outcome } of view.advances.byNode.get(parentNodeId)?.byAttempt.values() ?? []) {
    const isOurs = derived.node({ runId: run.runId, nodeId: parentNodeId, attemptId }) === node.nodeId;
    if (isOurs && outcome.kind === 'blocked') return outcome.blockers;
  }
  return null;
}

/** What whoever came to a place has to hear once: of its preferences, its gaps, its notes. */
export function noticesAt(place: Place, own: readonly Gap[]): string[] {
  const { view, node } = place;
  const notes = currentNotes(view.outputs, node.nodeId);
  return [
    ...(view.preferences.byNode.has(node.nodeId) ? preferenceWarnings(place) : []),
    // The blockers of a blocked attempt say the same.
    ...(node.nodeKind === 'blocked_attempt' ? [] : own.map(({ summary }) => `Recorded as a gap: ${summary}`)),
    ...(notes?.endsWith(TRUNCATION_MARKER)
      ? ['The notes were too long to be kept whole: their end was cut.']
      : []),
  ];
}

/** Where the preferences at a place go beyond what the workflow recommends. */
export const preferenceWarnings = (place: Place): string[] =>
  recommendationWarnings(preferencesAt(place), place.workflow).map(({ summary }) => summary);
