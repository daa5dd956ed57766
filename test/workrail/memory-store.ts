/** A store in memory that keeps the contracts of the ports, for properties and for parts that must not depend on files. */
import { err, ok, type Result } from 'neverthrow';
import { digestOf, sha256Digest } from '../../src/canonical';
import { problem, type ErrorCode, type RailyardError } from '../../src/errors';
import {
  Digest,
  DomainEvent,
  type SessionId,
  SnapshotRef,
  WorkflowHash,
  type Appended,
  type AppendPlan,
  type CompiledWorkflow,
  type DedupeKey,
  type ExecutionSnapshot,
  type ManifestRecord,
  type SessionHealth,
} from '../../src/workrail/model';
import {
  type AppendWitness,
  type ArtifactStore,
  type ContentShelf,
  type PinnedWorkflowStore,
  type Projection,
  type Session,
  type SessionImporter,
  type SessionPrefix,
  type SessionShelf,
  type SessionStore,
  type SnapshotStore,
  type StoredContent,
} from '../../src/workrail/ports';

const address = (value: unknown): string => digestOf(value)._unsafeUnwrap();

class MemorySession implements Session {
  readonly log: DomainEvent[] = [];
  readonly records: ManifestRecord[] = [];
  health: SessionHealth = 'healthy';
  touchedMs = 0;

  constructor(readonly sessionId: SessionId) {}

  get eventCount(): number {
    return this.log.length;
  }

  events(from = 0): readonly DomainEvent[] {
    return this.log.slice(from);
  }

  manifest(from = 0): readonly ManifestRecord[] {
    return this.records.slice(from);
  }

  find(key: DedupeKey): DomainEvent | undefined {
    return this.log.find(({ dedupeKey }) => dedupeKey === key);
  }

  project<State>(projection: Projection<State>): Readonly<State> {
    const state = projection.initial();
    for (const event of this.log) projection.apply(state, event);
    return state;
  }

  /** Events and what attests them, as the store on disk writes them. */
  commit(plans: readonly AppendPlan[], nowMs: number): void {
    const first = this.log.length;
    for (const event of plans.flatMap(({ events }) => events)) {
      this.log.push(
        DomainEvent.parse({ v: 1, sessionId: this.sessionId, eventIndex: this.log.length, ...event }),
      );
    }
    const segment = this.log.slice(first);
    const bytes = Buffer.from(segment.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const pins = segment.filter((event) => event.kind === 'node_created');
    const records: readonly object[] = [
      {
        kind: 'segment_closed',
        firstEventIndex: first,
        lastEventIndex: this.log.length - 1,
        segmentRelPath: `events/${first}-${this.log.length - 1}.jsonl`,
        sha256: sha256Digest(bytes),
        bytes: bytes.length,
      },
      ...pins.map(({ eventIndex, eventId, data }) => ({
        kind: 'snapshot_pinned',
        eventIndex,
        snapshotRef: data.snapshotRef,
        createdByEventId: eventId,
      })),
    ];
    for (const record of records) {
      const envelope = { v: 1, manifestIndex: this.records.length, sessionId: this.sessionId };
      this.records.push({ ...envelope, ...record } as ManifestRecord);
    }
    this.touchedMs = nowMs;
  }
}

/** Content by digest, with the times at which it was put. */
class Shelf<T> implements ContentShelf {
  readonly kept = new Map<string, { value: T; touchedMs: number }>();

  constructor(private readonly now: () => number) {}

  set(digest: string, value: T): void {
    this.kept.set(digest, { value, touchedMs: this.now() });
  }

  read(digest: string, missing: ErrorCode): Result<T, RailyardError> {
    const found = this.kept.get(digest);
    return found ? ok(found.value) : err(problem(missing, `There is no ${digest}.`));
  }

  list(): Promise<Result<readonly StoredContent[], RailyardError>> {
    const all = [...this.kept].map(([digest, { touchedMs }]) => ({ digest, bytes: 1, touchedMs }));
    return Promise.resolve(ok(all));
  }

  remove(digest: string, untouchedSinceMs: number): Promise<Result<boolean, RailyardError>> {
    const found = this.kept.get(digest);
    if (found && found.touchedMs >= untouchedSinceMs) return Promise.resolve(ok(false));
    return Promise.resolve(ok(this.kept.delete(digest)));
  }
}

export class MemoryStore implements SessionStore, SessionImporter, SessionShelf {
  readonly held = new Map<SessionId, MemorySession>();
  readonly locked = new Set<SessionId>();
  readonly snapshotShelf = new Shelf<ExecutionSnapshot>(() => this.nowMs);
  readonly workflowShelf = new Shelf<CompiledWorkflow>(() => this.nowMs);
  readonly artifactShelf = new Shelf<Uint8Array>(() => this.nowMs);
  /** What was removed, in order. */
  readonly removed: string[] = [];
  nowMs = 1;
  /** The plan at which an import dies; null: none. */
  importDiesAt: number | null = null;
  readonly #witnesses = new Set<AppendWitness>();

  readonly snapshots: SnapshotStore = {
    put: (snapshot) => {
      const ref = SnapshotRef.parse(address(snapshot));
      this.snapshotShelf.set(ref, snapshot);
      return Promise.resolve(ok(ref));
    },
    get: (ref) => Promise.resolve(this.snapshotShelf.read(ref, 'STORE_SNAPSHOT_MISSING')),
  };

  readonly workflows: PinnedWorkflowStore = {
    put: (workflow) => {
      const hash = WorkflowHash.parse(address(workflow));
      this.workflowShelf.set(hash, workflow);
      return Promise.resolve(ok(hash));
    },
    get: (hash) => Promise.resolve(this.workflowShelf.read(hash, 'STORE_WORKFLOW_MISSING')),
  };

  readonly artifacts: ArtifactStore = {
    put: (bytes) => {
      const digest = Digest.parse(sha256Digest(bytes));
      this.artifactShelf.set(digest, bytes);
      return Promise.resolve(ok(digest));
    },
    get: (digest) => Promise.resolve(this.artifactShelf.read(digest, 'STORE_IO')),
  };

  get stores() {
    const { snapshots, workflows, artifacts } = this;
    return { snapshots, workflows, artifacts, sessions: this };
  }

  list(): Promise<Result<readonly SessionId[], RailyardError>> {
    return Promise.resolve(ok([...this.held.keys()].sort()));
  }

  async load(sessionId: SessionId): Promise<Result<Session, RailyardError>> {
    const prefix = await this.loadValidatedPrefix(sessionId);
    return prefix.andThen(({ session, health }) =>
      health === 'healthy' ? ok(session) : err(problem('SESSION_CORRUPT', `${sessionId} is ${health}.`)),
    );
  }

  loadValidatedPrefix(sessionId: SessionId): Promise<Result<SessionPrefix, RailyardError>> {
    const session = this.held.get(sessionId);
    if (!session) return Promise.resolve(err(problem('SESSION_NOT_FOUND', `There is no ${sessionId}.`)));
    const { health } = session;
    const reason =
      health === 'healthy' ? null : { code: 'segment_missing' as const, message: 'a segment is gone' };
    return Promise.resolve(ok({ session, health, reason }));
  }

  async withSession<T, E>(
    sessionId: SessionId,
    work: (session: Session, witness: AppendWitness) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | RailyardError>> {
    if (this.locked.has(sessionId)) return err(problem('SESSION_LOCKED', `${sessionId} is in use.`));
    // The brand has no value at run time.
    const witness = { sessionId } as AppendWitness;
    this.#witnesses.add(witness);
    try {
      return await work(this.held.get(sessionId) ?? new MemorySession(sessionId), witness);
    } finally {
      this.#witnesses.delete(witness);
    }
  }

  append(
    witness: AppendWitness,
    plans: readonly AppendPlan[],
  ): Promise<Result<readonly Appended[], RailyardError>> {
    if (!this.#witnesses.has(witness))
      return Promise.resolve(err(problem('STORE_WITNESS_INVALID', 'Too late.')));
    const session = this.held.get(witness.sessionId) ?? new MemorySession(witness.sessionId);
    const fresh = plans.filter(({ events: [first] }) => !session.find(first.dedupeKey));
    for (const snapshot of fresh.flatMap(({ snapshots }) => snapshots)) void this.snapshots.put(snapshot);
    if (fresh.length > 0) session.commit(fresh, this.nowMs);
    this.held.set(witness.sessionId, session);
    const appended = plans.map((plan): Appended => {
      const { dedupeKey } = plan.events[0];
      const place = session.find(dedupeKey);
      if (!place) throw new Error('the event was just appended');
      return {
        kind: fresh.includes(plan) ? 'appended' : 'already_there',
        dedupeKey,
        eventIndex: place.eventIndex,
      };
    });
    return Promise.resolve(ok(appended));
  }

  importSession(sessionId: SessionId, plans: Iterable<AppendPlan>): Promise<Result<void, RailyardError>> {
    const staged = new MemorySession(sessionId);
    let count = 0;
    for (const plan of plans) {
      if (count++ === this.importDiesAt) return Promise.resolve(err(problem('STORE_FULL', 'No room.')));
      for (const snapshot of plan.snapshots) void this.snapshots.put(snapshot);
      staged.commit([plan], this.nowMs);
    }
    if (this.held.has(sessionId)) {
      return Promise.resolve(err(problem('SESSION_EXISTS', `${sessionId} is there already.`)));
    }
    this.held.set(sessionId, staged);
    return Promise.resolve(ok());
  }

  touchedMs(sessionId: SessionId): Promise<Result<number, RailyardError>> {
    return Promise.resolve(ok(this.held.get(sessionId)?.touchedMs ?? 0));
  }

  remove(sessionId: SessionId, eventCount: number): Promise<Result<void, RailyardError>> {
    if (this.locked.has(sessionId)) return Promise.resolve(err(problem('SESSION_LOCKED', 'busy')));
    if (this.held.get(sessionId)?.eventCount !== eventCount) {
      return Promise.resolve(err(problem('SESSION_EXISTS', 'it lives')));
    }
    this.held.delete(sessionId);
    this.removed.push(sessionId);
    return Promise.resolve(ok());
  }
}
