/** A session at a glance: what lists and the resume ranking are made of. */
import {
  type EventIndex,
  type NodeId,
  type Preferences,
  type RunId,
  type RunStatus,
  type SessionId,
} from '../model';
import { currentNotes } from './node-outputs';
import { observedValue } from './observations';
import { preferredTip } from './preferred-tip';
import { runStatus, type SnapshotLookup } from './run-status';
import { type SessionView } from './session-view';

/** One run of a session. */
export interface RunSummary {
  readonly runId: RunId;
  readonly workflowId: string | null;
  readonly workflowHash: string | null;
  readonly status: RunStatus;
  /** Null: the run has no node yet. */
  readonly tipNodeId: NodeId | null;
  readonly lastActivity: EventIndex | null;
  /** The current recap notes of the tip. */
  readonly recap: string | null;
}

export interface SessionSummary {
  readonly sessionId: SessionId;
  readonly eventCount: number;
  /** In the order they were started. */
  readonly runs: readonly RunSummary[];
  readonly gitHeadSha: string | null;
  readonly gitBranch: string | null;
  readonly repoRoot: string | null;
  /** For people only. */
  readonly firstMs: number | null;
  /** For people only. */
  readonly lastMs: number | null;
}

/** The summary of a session; null: it has no event. */
export function summarise(
  view: SessionView,
  snapshots: SnapshotLookup,
  baseline?: Preferences,
): SessionSummary | null {
  if (view.sessionId === null || view.lastEventIndex === null) return null;
  return {
    sessionId: view.sessionId,
    eventCount: view.lastEventIndex + 1,
    runs: [...view.dag.runs.keys()].map((runId) => summariseRun(view, runId, snapshots, baseline)),
    gitHeadSha: observedValue(view.observations, 'git_head_sha'),
    gitBranch: observedValue(view.observations, 'git_branch'),
    repoRoot: observedValue(view.observations, 'repo_root'),
    firstMs: view.firstMs,
    lastMs: view.lastMs,
  };
}

function summariseRun(
  view: SessionView,
  runId: RunId,
  snapshots: SnapshotLookup,
  baseline: Preferences | undefined,
): RunSummary {
  const run = view.dag.runs.get(runId);
  const tip = run ? preferredTip(run) : null;
  return {
    runId,
    workflowId: run?.workflow?.workflowId ?? null,
    workflowHash: run?.workflow?.workflowHash ?? null,
    status: runStatus(view, runId, snapshots, baseline),
    tipNodeId: tip?.node.nodeId ?? null,
    lastActivity: tip?.lastActivity ?? null,
    recap: tip ? currentNotes(view.outputs, tip.node.nodeId) : null,
  };
}
