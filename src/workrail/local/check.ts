/** Reading everything again: what a session or a whole store has, lacks, and has for nothing. Writes nothing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { type ErrorCode, type RailyardError } from '../../errors';
import {
  type Digest,
  type DomainEvent,
  type SessionHealth,
  type SessionId,
  type SnapshotRef,
  type WorkflowHash,
} from '../model';
import { type CorruptionCode, type CorruptionReason } from '../ports';
import { type Contents } from './batch';
import { guarded, locked, notFound } from './failure';
import { type FileSystem } from './file-system';
import { type Layout } from './layout';
import { healthOf, looksUnfinished, type SessionFiles } from './session-files';
import { readSettled } from './session-lock';
import { type SessionLog } from './session-log';
import { stagingFolders } from './staging';

/** A session after every byte of it was read. */
export interface SessionCheck {
  readonly sessionId: SessionId;
  readonly health: SessionHealth;
  /** What ends the valid part; null: nothing does. */
  readonly reason: CorruptionReason | null;
  /** Events of the valid part: those before the first segment with anything wrong, content included. */
  readonly validEvents: number;
  /** Everything that is wrong with content that events refer to. */
  readonly content: readonly CorruptionReason[];
  /** Artifacts that outputs refer to and the store does not have, or not as they were put there. */
  readonly missingArtifacts: readonly Digest[];
  /** Files in `events/` that a manifest in order does not attest: appends that came to nothing. Harmless. */
  readonly orphans: readonly string[];
}

export interface StoreCheck {
  readonly sessions: readonly SessionCheck[];
  /** Content that no session refers to, as far as sessions can be read. Harmless. */
  readonly unreferenced: {
    readonly snapshots: readonly SnapshotRef[];
    readonly workflows: readonly WorkflowHash[];
  };
  /** Sessions that were being born when their writer ended. Harmless. */
  readonly unborn: number;
}

/** Hears how many sessions of how many have been checked. */
export type CheckProgress = (checked: number, sessions: number) => void;

export class Checks {
  constructor(
    private readonly fs: FileSystem,
    private readonly layout: Layout,
    private readonly files: SessionFiles,
    private readonly contents: Contents,
    /** The size of an artifact that is whole; null: it is not. */
    private readonly wholeArtifact: (digest: Digest) => Promise<number | null>,
  ) {}

  session(sessionId: SessionId): Promise<Result<SessionCheck, RailyardError>> {
    return guarded('checking a session', () =>
      this.checkOne(sessionId, new Map()).then((checked) => checked.map(({ check }) => check)),
    );
  }

  store(
    sessionIds: readonly SessionId[],
    progress: CheckProgress = () => undefined,
  ): Promise<Result<StoreCheck, RailyardError>> {
    return guarded('checking the store', async () => {
      const used = new Set<string>();
      const sessions: SessionCheck[] = [];
      const artifacts: Artifacts = new Map();
      for (const [n, sessionId] of sessionIds.entries()) {
        const checked = await this.checkOne(sessionId, artifacts);
        progress(n + 1, sessionIds.length);
        // Gone in the meantime.
        if (checked.isErr() && checked.error.code === 'SESSION_NOT_FOUND') continue;
        if (checked.isErr()) return err(checked.error);
        const { check, log } = checked.value;
        sessions.push(check);
        for (const ref of refsOf(log.events())) used.add(ref);
        // A store can be large: others get their turn between two sessions.
        await nextTurn();
      }
      const { snapshots, workflows } = this.contents;
      return ok({
        sessions,
        unreferenced: {
          snapshots: snapshots.refs().filter((ref) => !used.has(ref)),
          workflows: workflows.refs().filter((ref) => !used.has(ref)),
        },
        unborn: stagingFolders(this.fs, this.layout).length,
      });
    });
  }

  private async checkOne(
    sessionId: SessionId,
    artifacts: Artifacts,
  ): Promise<Result<{ check: SessionCheck; log: SessionLog }, RailyardError>> {
    const folder = this.layout.session(sessionId);
    if (this.fs.stat(folder.path) === null) return err(notFound(sessionId));
    const names = this.fs.list(folder.events());
    const read = () => this.files.readAll(sessionId);
    const found = await readSettled(this.fs, folder, read, looksUnfinished);
    if (found === null) return err(locked(sessionId));
    const { session: log, reason: logReason } = found.value;
    const faults = log.events().flatMap((event) => this.contentFault(event) ?? []);
    const [first] = faults;
    const validEvents = first ? segmentStart(log, first.eventIndex) : log.eventCount;
    const reason = first?.reason ?? logReason;
    const attested = new Set(
      log.manifest().flatMap((one) => (one.kind === 'segment_closed' ? one.segmentRelPath : [])),
    );
    const check: SessionCheck = {
      sessionId,
      reason,
      health: healthOf(validEvents, reason),
      validEvents,
      content: faults.map((fault) => fault.reason),
      missingArtifacts: await this.missingArtifacts(log.events(), artifacts),
      // Only a manifest that is whole says what it does not attest; behind damage may be acknowledged truth.
      orphans:
        logReason === null ? names.map((name) => `events/${name}`).filter((path) => !attested.has(path)) : [],
    };
    return ok({ check, log });
  }

  /** Each artifact is read once, however many outputs refer to it. */
  private async missingArtifacts(events: readonly DomainEvent[], known: Artifacts): Promise<Digest[]> {
    const missing: Digest[] = [];
    for (const event of events) {
      if (event.kind !== 'node_output_appended' || event.data.payload.payloadKind !== 'artifact_ref')
        continue;
      const { sha256, byteLength } = event.data.payload;
      if (!known.has(sha256)) known.set(sha256, await this.wholeArtifact(sha256));
      if (known.get(sha256) !== byteLength) missing.push(sha256);
    }
    return missing;
  }

  private contentFault(event: DomainEvent): ContentFault | null {
    const found = this.contentOf(event);
    if (found === null || found.isOk()) return null;
    const { code, message } = found.error;
    const known = CONTENT_CODES[code];
    // Trouble of the disk says nothing of the session.
    if (known === undefined) throw Object.assign(new Error(message), { code: 'EIO' });
    return { eventIndex: event.eventIndex, reason: { code: known, message } };
  }

  private contentOf(event: DomainEvent): Result<unknown, RailyardError> | null {
    const { snapshots, workflows } = this.contents;
    if (event.kind === 'node_created') return snapshots.get(event.data.snapshotRef);
    return event.kind === 'run_started' ? workflows.get(event.data.workflowHash) : null;
  }
}

/** What is known of artifacts within one check: their sizes; null: not whole. */
type Artifacts = Map<Digest, number | null>;

interface ContentFault {
  readonly eventIndex: number;
  readonly reason: CorruptionReason;
}

const CONTENT_CODES: Partial<Record<ErrorCode, CorruptionCode>> = {
  STORE_SNAPSHOT_MISSING: 'snapshot_missing',
  STORE_SNAPSHOT_CORRUPT: 'snapshot_corrupt',
  STORE_WORKFLOW_MISSING: 'workflow_missing',
  STORE_WORKFLOW_CORRUPT: 'workflow_corrupt',
};

/** What events refer to by digest in snapshots and pinned workflows. */
function refsOf(events: readonly DomainEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'node_created') return event.data.snapshotRef;
    return event.kind === 'run_started' ? event.data.workflowHash : [];
  });
}

/** The first event of the segment that an event is in. */
function segmentStart(log: SessionLog, eventIndex: number): number {
  for (const record of log.manifest()) {
    if (record.kind === 'segment_closed' && record.lastEventIndex >= eventIndex)
      return record.firstEventIndex;
  }
  return eventIndex;
}
