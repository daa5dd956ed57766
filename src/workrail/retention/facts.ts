/** What retention knows of a session: how old it is, and what it keeps alive. */
import { type DomainEvent, type ManifestRecord, type SessionHealth, type SessionId } from '../model';
import { type Roots, type SessionPrefix } from '../ports';

export interface SessionFacts {
  readonly sessionId: SessionId;
  readonly health: SessionHealth;
  /** For people: what is wrong with it; null: nothing is. */
  readonly reason: string | null;
  readonly eventCount: number;
  /** The later of its newest event's time and its manifest's. */
  readonly lastActivityMs: number;
  readonly roots: Roots;
}

export function factsOf({ session, health, reason }: SessionPrefix, touchedMs: number): SessionFacts {
  const events = session.events();
  return {
    sessionId: session.sessionId,
    health,
    reason: reason && `${reason.code}: ${reason.message}`,
    eventCount: session.eventCount,
    lastActivityMs: Math.max(touchedMs, newestOf(events)),
    roots: rootsOf(session.manifest(), events),
  };
}

const newestOf = (events: readonly DomainEvent[]): number =>
  events.reduce((newest, { timestampMs = 0 }) => Math.max(newest, timestampMs), 0);

/** Snapshots by their pins (locks, section 2.2); workflows and artifacts have none, and are kept by the events themselves. */
export function rootsOf(manifest: readonly ManifestRecord[], events: readonly DomainEvent[]): Roots {
  const roots = { snapshots: new Set<string>(), workflows: new Set<string>(), artifacts: new Set<string>() };
  for (const record of manifest) {
    if (record.kind === 'snapshot_pinned') roots.snapshots.add(record.snapshotRef);
  }
  for (const event of events) {
    if (event.kind === 'run_started') roots.workflows.add(event.data.workflowHash);
    if (event.kind === 'node_output_appended' && event.data.payload.payloadKind === 'artifact_ref') {
      roots.artifacts.add(event.data.payload.sha256);
    }
  }
  return roots;
}
