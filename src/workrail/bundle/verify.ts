/** Is this a bundle that a store can go on from? Read once, in a stream; nothing is written anywhere. */
import { err, ok, type Result } from 'neverthrow';
import { fromBase64, canonicalJson, sha256Digest } from '../../canonical';
import { type RailyardError } from '../../errors';
import {
  BUNDLE_VERSION,
  BundledArtifact,
  BundleEnvelope,
  Digest,
  readCompiledWorkflow,
  readEvent,
  readManifestRecord,
  readSnapshot,
  SessionId,
  SnapshotRef,
  WorkflowHash,
  type CompiledWorkflow,
  type DomainEvent,
  type ExecutionSnapshot,
  type IntegrityEntry,
  type ManifestRecord,
  type RecordFault,
} from '../model';
import { checkManifest, checkSegments } from './attestation';
import { BundleUnreadable, Faults } from './fault';
import { ArrayDigest, checkEntries, valueEntry } from './integrity';
import { type Chunks } from './json-cursor';
import { Pace } from './pace';
import { readParts, type Collection, type Part } from './parts';
import { checkReferences } from './references';

/** A bundle all of whose checks passed. Artifacts are checked and not kept: their bytes may be more than memory. */
export interface VerifiedBundle {
  readonly envelope: BundleEnvelope;
  readonly sessionId: SessionId;
  readonly events: readonly DomainEvent[];
  readonly manifest: readonly ManifestRecord[];
  readonly snapshots: ReadonlyMap<SnapshotRef, ExecutionSnapshot>;
  readonly workflows: ReadonlyMap<WorkflowHash, CompiledWorkflow>;
  readonly artifacts: ReadonlySet<Digest>;
}

/** Read and check a bundle: all of it, or the first thing that is wrong with it by phase. */
export async function verifyBundle(chunks: Chunks): Promise<Result<VerifiedBundle, RailyardError>> {
  const verification = new Verification();
  try {
    for await (const part of readParts(chunks)) {
      await verification.take(part);
      if (verification.isDecided()) break;
    }
  } catch (error) {
    if (!(error instanceof BundleUnreadable)) throw error;
    return err(error.problem);
  }
  return verification.end();
}

const REQUIRED: readonly Collection[] = [
  'session/events',
  'session/manifest',
  'session/snapshots',
  'session/pinnedWorkflows',
];
const ENVELOPE = new Set(Object.keys(BundleEnvelope.shape));

class Verification {
  readonly #faults = new Faults();
  readonly #pace = new Pace();
  readonly #fields = new Map<string, unknown>();
  readonly #begun = new Set<Collection>();
  readonly #entries = new Map<string, IntegrityEntry>();
  readonly #events: DomainEvent[] = [];
  readonly #eventsDigest = new ArrayDigest();
  readonly #manifest: ManifestRecord[] = [];
  readonly #manifestDigest = new ArrayDigest();
  readonly #snapshots = new Map<SnapshotRef, ExecutionSnapshot>();
  readonly #workflows = new Map<WorkflowHash, CompiledWorkflow>();
  readonly #artifacts = new Set<Digest>();

  async take(part: Part): Promise<void> {
    switch (part.kind) {
      case 'not_an_object':
        this.#faults.note('format', 'document', 'is not an object');
        break;
      case 'begins':
        this.#begun.add(part.collection);
        break;
      case 'field':
        this.#takeField(part.path, part.value);
        break;
      case 'item':
        this.#takeItem(part);
        await this.#pace.step();
        break;
    }
  }

  /** Whether nothing that follows can change the verdict. */
  isDecided(): boolean {
    return (
      this.#faults.has('version') || (this.#faults.has('format') && this.#fields.has('bundleSchemaVersion'))
    );
  }

  async end(): Promise<Result<VerifiedBundle, RailyardError>> {
    const faults = this.#faults;
    const envelope = this.#endOfFormat();
    if (envelope === null) return err(firstOf(faults));
    const [events, manifest, snapshots, workflows] = [
      this.#events,
      this.#manifest,
      this.#snapshots,
      this.#workflows,
    ];

    this.#entries.set('session/events', this.#eventsDigest.entry('session/events'));
    this.#entries.set('session/manifest', this.#manifestDigest.entry('session/manifest'));
    checkEntries(envelope.integrity.entries, this.#entries, faults);
    if (!faults.has('event_order')) {
      checkManifest(manifest, events, faults);
      await checkReferences({ events, snapshots, workflows }, this.#pace, faults);
      if (!faults.has('manifest_order')) {
        await checkSegments(manifest, events, envelope.integrity.eventLines, this.#pace, faults);
      }
    }
    const found = faults.first();
    if (found) return err(found);
    const sessionId = SessionId.parse(this.#fields.get('session/sessionId'));
    return ok({ envelope, sessionId, events, manifest, snapshots, workflows, artifacts: this.#artifacts });
  }

  #takeField(path: string, value: unknown): void {
    if (path === 'bundleSchemaVersion' && typeof value === 'number' && value !== BUNDLE_VERSION) {
      this.#faults.note('version', path, `is ${value}, and this store reads ${BUNDLE_VERSION}`);
    }
    if (path === 'session' || path === 'artifacts' || REQUIRED.some((collection) => collection === path)) {
      this.#faults.note('format', path, 'is of another type');
    }
    // What a later producer adds is left alone.
    if (ENVELOPE.has(path) || path === 'session/sessionId') this.#fields.set(path, value);
  }

  #takeItem({ collection, name, value }: Extract<Part, { kind: 'item' }>): void {
    const where = `${collection}/${name}`;
    const canonical = canonicalJson(value);
    if (canonical.isErr()) {
      this.#faults.note('format', `${where}${canonical.error.pointer}`, `has ${canonical.error.reason}`);
      return;
    }
    const text = canonical.value;
    switch (collection) {
      case 'session/events':
        this.#eventsDigest.add(text);
        this.#keep(where, readEvent(value), (event) => {
          if (event.eventIndex !== Number(name)) {
            const why = `has the eventIndex ${event.eventIndex}, and ${name} is its place`;
            this.#faults.note('event_order', where, why);
          }
          this.#events.push(event);
        });
        break;
      case 'session/manifest':
        this.#manifestDigest.add(text);
        this.#keep(where, readManifestRecord(value), (record) => this.#manifest.push(record));
        break;
      case 'session/snapshots':
        this.#checkAddress(where, name, text);
        this.#keep(where, readSnapshot(value), (snapshot) => {
          this.#snapshots.set(SnapshotRef.parse(name), snapshot);
        });
        break;
      case 'session/pinnedWorkflows':
        this.#checkAddress(where, name, text);
        this.#keep(where, readCompiledWorkflow(value), (workflow) => {
          this.#workflows.set(WorkflowHash.parse(name), workflow);
        });
        break;
      case 'artifacts':
        this.#takeArtifact(where, name, value, text);
        break;
    }
  }

  #keep<T>(where: string, read: Result<T, RecordFault>, keep: (value: T) => unknown): void {
    if (read.isErr()) this.#faults.noteRecord(where, read.error);
    // A name that is no digest was noted; with it nothing is kept.
    else if (!this.#faults.has('format')) keep(read.value);
  }

  /** A part that is named by its digest. */
  #checkAddress(where: string, name: string, text: string): void {
    if (!Digest.safeParse(name).success) {
      this.#faults.note('format', where, 'is not named by a digest');
      return;
    }
    this.#entries.set(where, valueEntry(where, text));
    if (sha256Digest(text) !== name)
      this.#faults.note('integrity', where, 'has another digest than its name');
  }

  #takeArtifact(where: string, name: string, value: unknown, text: string): void {
    const [digest, artifact] = [Digest.safeParse(name), BundledArtifact.safeParse(value)];
    if (!digest.success) {
      this.#faults.note('format', where, 'is not named by a digest');
      return;
    }
    if (!artifact.success) {
      this.#faults.note('format', where, 'is no artifact');
      return;
    }
    this.#entries.set(where, valueEntry(where, text));
    const bytes = fromBase64(artifact.data.base64);
    if (bytes.length !== artifact.data.byteLength) {
      this.#faults.note(
        'integrity',
        where,
        `has ${bytes.length} bytes, and byteLength ${artifact.data.byteLength}`,
      );
    }
    if (sha256Digest(bytes) !== name) {
      this.#faults.note('integrity', where, 'has another digest than its name');
    }
    this.#artifacts.add(digest.data);
  }

  /** The envelope, once everything is there and of its shape; null: a fault was noted. */
  #endOfFormat(): BundleEnvelope | null {
    const faults = this.#faults;
    const fields = Object.fromEntries([...this.#fields].filter(([path]) => ENVELOPE.has(path)));
    const envelope = BundleEnvelope.safeParse(fields);
    if (!envelope.success) {
      const [issue] = envelope.error.issues;
      faults.note(
        'format',
        issue?.path.join('/') ?? 'envelope',
        `is not valid: ${issue?.message ?? 'no bundle'}`,
      );
    }
    for (const collection of REQUIRED) {
      if (!this.#begun.has(collection)) faults.note('format', collection, 'is missing');
    }
    const sessionId = SessionId.safeParse(this.#fields.get('session/sessionId'));
    if (!sessionId.success) faults.note('format', 'session/sessionId', 'is no session id');
    if (this.#begun.has('session/events') && this.#events.length === 0) {
      faults.note('format', 'session/events', 'are none: a session begins with one');
    }
    const isStranger = (one: { readonly sessionId: SessionId }) => one.sessionId !== sessionId.data;
    const event = this.#events.find(isStranger);
    if (event) faults.note('format', `session/events/${event.eventIndex}`, `is of ${event.sessionId}`);
    const record = this.#manifest.find(isStranger);
    if (record)
      faults.note('format', `session/manifest/${record.manifestIndex}`, `is of ${record.sessionId}`);
    return envelope.success && !faults.has('version', 'format') ? envelope.data : null;
  }
}

function firstOf(faults: Faults): RailyardError {
  const first = faults.first();
  if (!first) throw new Error('Bug: a bundle was refused without a fault.');
  return first;
}
