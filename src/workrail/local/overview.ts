/** The sessions of a store at a glance, in whatever health they are. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import {
  type ExecutionSnapshot,
  type RunId,
  type RunStatus,
  type SessionHealth,
  type SessionId,
  type SnapshotRef,
} from '../model';
import { type SessionReader, type SnapshotStore } from '../ports';
import { sessionView, summarise, tipOfRun, type SessionView } from '../projections';

export interface SessionRunLine {
  readonly runId: RunId;
  readonly workflowId: string | null;
  /** Null: the snapshot it is judged by cannot be read. */
  readonly status: RunStatus | null;
}

/** One session; what is said of its runs is of its valid part. */
export interface SessionLine {
  readonly sessionId: SessionId;
  /** `unreadable`: it cannot be said, now. */
  readonly health: SessionHealth | 'unreadable';
  /** What is wrong with it; null: nothing is. */
  readonly reason: string | null;
  readonly events: number;
  readonly runs: readonly SessionRunLine[];
  /** The time of the newest event that says its own. */
  readonly lastActivityMs: number | null;
}

export interface OverviewStores {
  readonly sessions: SessionReader;
  readonly snapshots: SnapshotStore;
}

/** Every session, the one with the latest activity first. */
export async function overview(
  stores: OverviewStores,
  progress: (read: number, sessions: number) => void = () => undefined,
): Promise<Result<readonly SessionLine[], RailyardError>> {
  const ids = await stores.sessions.list();
  if (ids.isErr()) return err(ids.error);
  const lines: SessionLine[] = [];
  for (const [n, sessionId] of ids.value.entries()) {
    const line = await lineOf(stores, sessionId);
    if (line !== null) lines.push(line);
    progress(n + 1, ids.value.length);
  }
  return ok(lines.sort((a, b) => (b.lastActivityMs ?? 0) - (a.lastActivityMs ?? 0)));
}

/** Null: it is gone since the list was made. */
async function lineOf(
  { sessions, snapshots }: OverviewStores,
  sessionId: SessionId,
): Promise<SessionLine | null> {
  const prefix = await sessions.loadValidatedPrefix(sessionId);
  if (prefix.isErr()) {
    const { code, message } = prefix.error;
    if (code === 'SESSION_NOT_FOUND') return null;
    const nothing = { events: 0, runs: [], lastActivityMs: null };
    return { sessionId, health: 'unreadable', reason: `${code}: ${message}`, ...nothing };
  }
  const { session, health, reason } = prefix.value;
  const view = session.project(sessionView);
  const held = await tipSnapshots(view, snapshots);
  const summary = summarise(view, (ref) => held.get(ref));
  const runs = (summary?.runs ?? []).map(({ runId, workflowId, status }) => {
    const tip = tipOfRun(view.dag, runId);
    const isKnown = tip === null || held.has(tip.node.snapshotRef);
    return { runId, workflowId, status: isKnown ? status : null };
  });
  return {
    sessionId,
    health,
    reason: reason && `${reason.code}: ${reason.message}`,
    events: session.eventCount,
    runs,
    lastActivityMs: summary?.lastMs ?? null,
  };
}

/** The snapshots that runs are judged by; those that cannot be read are left out. */
async function tipSnapshots(
  { dag }: SessionView,
  snapshots: SnapshotStore,
): Promise<ReadonlyMap<SnapshotRef, ExecutionSnapshot>> {
  const held = new Map<SnapshotRef, ExecutionSnapshot>();
  for (const runId of dag.runs.keys()) {
    const ref = tipOfRun(dag, runId)?.node.snapshotRef;
    const snapshot = ref && (await snapshots.get(ref));
    if (ref && snapshot?.isOk()) held.set(ref, snapshot.value);
  }
  return held;
}
