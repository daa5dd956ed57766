/**
 * Bring a bundle into this store (locks, section 1.3). It is read and checked as a whole before anything is stored. Then
 * come its contents, by digest, and last the session, published in one step: an import that dies leaves contents that nothing
 * refers to, and no session.
 */
import { err, ok, type Result } from 'neverthrow';
import { fromBase64, sha256Digest } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { BundledArtifact, type Digest, type SessionId } from '../model';
import { type Minting, type SessionImporter } from '../ports';
import { artifactsOf, type ContentStores } from './export';
import { BundleUnreadable } from './fault';
import { type Chunks } from './json-cursor';
import { readParts } from './parts';
import { plansOf } from './plans';
import { verifyBundle, type VerifiedBundle } from './verify';

/** The text of a bundle, from its beginning at each call: artifacts are read in a second pass. */
export type BundleSource = () => Chunks;

export interface ImportStores extends ContentStores {
  readonly sessions: SessionImporter;
  /**
   * Looks at a bundle that is whole, when its contents are in the stores and its session is not: an error ends the import.
   * Answers with the session that has all of it already, or null.
   */
  readonly admit?: (bundle: VerifiedBundle) => Promise<Result<SessionId | null, RailyardError>>;
}

export interface Imported {
  readonly sessionId: SessionId;
  /** The id it had where it was exported; another one where that was taken here. */
  readonly exportedSessionId: SessionId;
  /** False: this store had all of it already. */
  readonly fresh: boolean;
  readonly events: number;
  /** Artifacts that its events refer to and neither the bundle nor this store has. */
  readonly missingArtifacts: readonly Digest[];
}

/** Fresh ids that may be taken too before it is a bug. */
const MAX_FRESH_IDS = 3;

/** Import a bundle: under its own session id, or as a new session where this store has one of that id. */
export async function importBundle(
  stores: ImportStores,
  source: BundleSource,
  minting: Pick<Minting, 'sessionId'>,
): Promise<Result<Imported, RailyardError>> {
  const verified = await verifyBundle(source());
  if (verified.isErr()) return err(verified.error);
  const bundle = verified.value;
  if (bundle.envelope.salvaged) return err(salvaged(bundle.envelope.salvaged));

  const contents = await putContents(stores, bundle, source);
  if (contents.isErr()) return err(contents.error);
  const known = (await stores.admit?.(bundle)) ?? ok(null);
  if (known.isErr()) return err(known.error);
  const sessionId = known.value === null ? await publish(stores.sessions, bundle, minting) : ok(known.value);
  if (sessionId.isErr()) return err(sessionId.error);
  return ok({
    sessionId: sessionId.value,
    exportedSessionId: bundle.sessionId,
    fresh: known.value === null,
    events: bundle.events.length,
    missingArtifacts: await missingOf(stores, bundle),
  });
}

async function publish(
  sessions: SessionImporter,
  bundle: VerifiedBundle,
  minting: Pick<Minting, 'sessionId'>,
): Promise<Result<SessionId, RailyardError>> {
  let sessionId = bundle.sessionId;
  for (let fresh = 0; ; fresh++) {
    const imported = await sessions.importSession(sessionId, plansOf(bundle, sessionId));
    if (imported.isOk()) return ok(sessionId);
    if (imported.error.code !== 'SESSION_EXISTS' || fresh === MAX_FRESH_IDS) return err(imported.error);
    sessionId = minting.sessionId();
  }
}

async function putContents(
  stores: ImportStores,
  bundle: VerifiedBundle,
  source: BundleSource,
): Promise<Result<void, RailyardError>> {
  const used = new Set(
    bundle.events.flatMap((event) => (event.kind === 'run_started' ? [event.data.workflowHash] : [])),
  );
  for (const hash of used) {
    const workflow = bundle.workflows.get(hash);
    const put = workflow && (await stores.workflows.put(workflow));
    if (put?.isErr()) return err(put.error);
  }
  return bundle.artifacts.size === 0 ? ok() : putArtifacts(stores, bundle.artifacts, source);
}

/** The second pass. What it finds must be what the first one checked. */
async function putArtifacts(
  stores: ImportStores,
  digests: ReadonlySet<Digest>,
  source: BundleSource,
): Promise<Result<void, RailyardError>> {
  const left = new Set<string>(digests);
  try {
    for await (const part of readParts(source())) {
      if (part.kind !== 'item' || part.collection !== 'artifacts') continue;
      const artifact = BundledArtifact.safeParse(part.value);
      const bytes = artifact.success ? fromBase64(artifact.data.base64) : null;
      if (!bytes || sha256Digest(bytes) !== part.name || !left.delete(part.name)) return err(changed());
      const put = await stores.artifacts.put(bytes);
      if (put.isErr()) return err(put.error);
    }
  } catch (error) {
    if (!(error instanceof BundleUnreadable)) throw error;
    return err(error.problem);
  }
  return left.size === 0 ? ok() : err(changed());
}

async function missingOf({ artifacts }: ImportStores, bundle: VerifiedBundle): Promise<Digest[]> {
  const missing: Digest[] = [];
  for (const digest of artifactsOf(bundle.events).keys()) {
    if (bundle.artifacts.has(digest)) continue;
    if ((await artifacts.get(digest)).isErr()) missing.push(digest);
  }
  return missing;
}

const changed = (): RailyardError =>
  problem('BUNDLE_INTEGRITY_FAILED', 'The bundle changed while it was imported.');

const salvaged = ({ health, reason }: { readonly health: string; readonly reason: string }): RailyardError =>
  problem(
    'BUNDLE_INTEGRITY_FAILED',
    `The bundle holds only the readable beginning of a session that was ${health}: ${reason}.`,
    {
      suggestion:
        'It can be looked at, and nobody can go on from it: repair the session where it came from and export it again.',
      details: { health },
    },
  );
