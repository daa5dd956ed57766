/** How a run stands, judged at its preferred tip (locks, section 2.1). */
import {
  DEFAULT_PREFERENCES,
  isComplete,
  type ExecutionSnapshot,
  type GapReason,
  type Preferences,
  type RunId,
  type RunStatus,
  type SnapshotRef,
} from '../model';
import { hasOpenCriticalGaps, openGapsOfNode } from './gaps';
import { effectivePreferences } from './preferences';
import { tipOfRun } from './preferred-tip';
import { type SessionView } from './session-view';

/** Where snapshots come from; a healthy session has every one that its nodes name. */
export type SnapshotLookup = (ref: SnapshotRef) => ExecutionSnapshot | undefined;

/** An unexpected fault is disclosed, but waits for nobody. */
const BLOCKING: readonly GapReason['category'][] = [
  'user_only_dependency',
  'contract_violation',
  'capability_missing',
];

/** The status of a run. One that has no node yet has only begun. */
export function runStatus(
  { dag, gaps, preferences }: Pick<SessionView, 'dag' | 'gaps' | 'preferences'>,
  runId: RunId,
  snapshots: SnapshotLookup,
  baseline: Preferences = DEFAULT_PREFERENCES,
): RunStatus {
  const tip = tipOfRun(dag, runId);
  if (!tip) return 'in_progress';
  const snapshot = snapshots(tip.node.snapshotRef);
  if (snapshot && isComplete(snapshot)) {
    return hasOpenCriticalGaps(gaps, runId) ? 'complete_with_gaps' : 'complete';
  }
  const { autonomy } = effectivePreferences(dag, preferences, tip.node.nodeId, baseline);
  if (autonomy === 'full_auto_never_stop') return 'in_progress';
  const stops = openGapsOfNode(gaps, tip.node.nodeId).some(
    ({ severity, reason }) => severity === 'critical' && BLOCKING.includes(reason.category),
  );
  return stops ? 'blocked' : 'in_progress';
}
