/**
 * Write a session as a bundle: one JSON document, in one pass and in turns. The integrity stands at its end, since it is known
 * only then; a bundle that was cut off has none and is refused.
 */
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson, RunningDigest, sha256Hex, toBase64 } from '../../canonical';
import { type RailyardError, problem } from '../../errors';
import {
  BUNDLE_VERSION,
  BundleId,
  type BundledArtifact,
  type BundleEnvelope,
  type Digest,
  type DomainEvent,
  type IntegrityEntry,
} from '../model';
import {
  type ArtifactStore,
  type PinnedWorkflowStore,
  type SessionPrefix,
  type SnapshotStore,
} from '../ports';
import { eventLine } from './attestation';
import { ArrayDigest, valueEntry } from './integrity';
import { Pace } from './pace';

/** Content that sessions refer to. */
export interface ContentStores {
  readonly snapshots: SnapshotStore;
  readonly workflows: PinnedWorkflowStore;
  readonly artifacts: ArtifactStore;
}

export interface ExportRequest {
  /** What can be read of the session. One that is not healthy is exported as salvaged, and nobody can go on from it. */
  readonly prefix: SessionPrefix;
  readonly producer: BundleEnvelope['producer'];
  /** For people only. */
  readonly exportedAtMs: number;
  /** Whether the bytes of artifacts come along; without them a bundle refers to what the other store may not have. */
  readonly artifacts: 'embedded' | 'left_out';
  /** What an artifact that comes along refers to in its turn, and that comes along too. */
  readonly refersTo?: (artifact: ReadArtifact) => Promise<Result<readonly Digest[], RailyardError>>;
}

/** An artifact as it is read on its way into a bundle. */
export interface ReadArtifact {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface Exported {
  readonly bundleId: BundleId;
  readonly events: number;
  readonly artifacts: number;
  readonly salvaged: boolean;
}

/** Takes a piece of the text; awaited, so that a slow reader slows the export down. */
export type Write = (text: string) => Promise<void>;

/** Pieces of about this many characters are given to `write`. */
const CHUNK_LENGTH = 64 * 1024;

/** Export a session. After an error what was written so far is no bundle, and is to be thrown away. */
export async function exportBundle(
  stores: ContentStores,
  request: ExportRequest,
  write: Write,
): Promise<Result<Exported, RailyardError>> {
  const { session, health, reason } = request.prefix;
  // Both at the same moment: the session may grow while it is written.
  const [events, manifest] = [session.events(), session.manifest()];
  const last = events.at(-1);
  if (!last) {
    return err(
      problem(
        'SESSION_CORRUPT',
        `Nothing of the session ${session.sessionId} can be read, so nothing is exported.`,
      ),
    );
  }
  const out = new Out(write);
  const artifacts = request.artifacts === 'embedded' ? artifactsOf(events) : new Map<Digest, string>();
  // The same export again is the same bundle.
  const identity = JSON.stringify([
    session.sessionId,
    last.eventId,
    events.length,
    manifest.length,
    [...artifacts.keys()],
  ]);
  const bundleId = BundleId.parse(`bundle_${sha256Hex(identity).slice(0, 32)}`);

  await out.add(
    `{"bundleSchemaVersion":${BUNDLE_VERSION},"bundleId":${JSON.stringify(bundleId)},` +
      `"exportedAt":${JSON.stringify(new Date(request.exportedAtMs).toISOString())},` +
      `"producer":${JSON.stringify(request.producer)},`,
  );
  if (health !== 'healthy') {
    const salvaged = { health, reason: reason?.message ?? 'the rest cannot be read' };
    await out.add(`"salvaged":${JSON.stringify(salvaged)},`);
  }
  await out.add(`"session":{"sessionId":${JSON.stringify(session.sessionId)},"events":`);
  const lines = new RunningDigest();
  await out.list('session/events', events, (event) => {
    const line = eventLine(event);
    lines.add(line);
    return line.trimEnd();
  });
  await out.add(',"manifest":');
  await out.list('session/manifest', manifest, (record) => JSON.stringify(record));

  await out.add(',"snapshots":');
  const refs = new Set(
    events.flatMap((event) => (event.kind === 'node_created' ? [event.data.snapshotRef] : [])),
  );
  const snapshots = await out.map('session/snapshots', refs, (ref) => stores.snapshots.get(ref));
  if (snapshots.isErr()) return err(snapshots.error);

  await out.add(',"pinnedWorkflows":');
  const hashes = new Set(
    events.flatMap((event) => (event.kind === 'run_started' ? [event.data.workflowHash] : [])),
  );
  const workflows = await out.map('session/pinnedWorkflows', hashes, (hash) => stores.workflows.get(hash));
  if (workflows.isErr()) return err(workflows.error);
  await out.add('}');

  if (artifacts.size > 0) {
    await out.add(',"artifacts":');
    // A map that grows while it is walked: what is added has its turn too.
    const written = await out.map('artifacts', artifacts.keys(), async (digest) => {
      const bytes = await stores.artifacts.get(digest);
      if (bytes.isErr()) return err(bytes.error);
      const artifact = { contentType: artifacts.get(digest) ?? UNTYPED, bytes: bytes.value };
      const more = (await request.refersTo?.(artifact)) ?? ok([]);
      if (more.isErr()) return err(more.error);
      for (const one of more.value) if (!artifacts.has(one)) artifacts.set(one, UNTYPED);
      return ok(bundled(artifact.bytes, artifact.contentType));
    });
    if (written.isErr()) return err(written.error);
  }
  const integrity = { kind: 'sha256_manifest_v1', entries: out.entries, eventLines: lines.end().sha256 };
  await out.add(`,"integrity":${JSON.stringify(integrity)}}\n`);
  await out.end();
  return ok({ bundleId, events: events.length, artifacts: artifacts.size, salvaged: health !== 'healthy' });
}

/** Of an artifact that no event gives a type. */
const UNTYPED = 'application/octet-stream';

const bundled = (bytes: Uint8Array, contentType: string): BundledArtifact => ({
  contentType,
  byteLength: bytes.length,
  base64: toBase64(bytes),
});

/** The artifacts that events refer to, each once, with the type it was first given. */
export function artifactsOf(events: readonly DomainEvent[]): Map<Digest, string> {
  const found = new Map<Digest, string>();
  for (const event of events) {
    if (event.kind !== 'node_output_appended' || event.data.payload.payloadKind !== 'artifact_ref') continue;
    const { sha256, contentType } = event.data.payload;
    if (!found.has(sha256)) found.set(sha256, contentType);
  }
  return found;
}

/** The text as it goes out, with the integrity of what is in it. */
class Out {
  readonly entries: IntegrityEntry[] = [];
  readonly #pace = new Pace();
  #held = '';

  constructor(private readonly write: Write) {}

  async add(text: string): Promise<void> {
    this.#held += text;
    if (this.#held.length >= CHUNK_LENGTH) await this.end();
  }

  async end(): Promise<void> {
    const text = this.#held;
    this.#held = '';
    if (text !== '') await this.write(text);
  }

  /** An array, element by element. */
  async list<T>(path: string, values: readonly T[], textOf: (value: T) => string): Promise<void> {
    const digest = new ArrayDigest();
    for (const [i, value] of values.entries()) {
      digest.add(canonical(value));
      await this.add(`${i === 0 ? '[' : ','}${textOf(value)}`);
      await this.#pace.step();
    }
    await this.add(values.length === 0 ? '[]' : ']');
    this.entries.push(digest.entry(path));
  }

  /** An object by digests; each value is read when its turn comes. */
  async map<K extends string, T>(
    path: string,
    names: Iterable<K>,
    get: (name: K) => Promise<Result<T, RailyardError>>,
  ): Promise<Result<void, RailyardError>> {
    let separator = '{';
    for (const name of names) {
      const value = await get(name);
      if (value.isErr()) return err(value.error);
      const text = canonical(value.value);
      await this.add(`${separator}${JSON.stringify(name)}:${text}`);
      this.entries.push(valueEntry(`${path}/${name}`, text));
      separator = ',';
      await this.#pace.step();
    }
    await this.add(separator === '{' ? '{}' : '}');
    return ok();
  }
}

function canonical(value: unknown): string {
  const text = canonicalJson(value);
  if (text.isErr()) throw new Error(`Bug: the store holds what is not JSON: ${text.error.reason}`);
  return text.value;
}
