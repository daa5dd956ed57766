/** Bundles for tests: exported, read as JSON, changed, and sealed again so that only the change is wrong. */
import { canonicalJson, digestOf, sha256Digest } from '../../../src/canonical';
import { exportBundle, verifyBundle, type Chunks, type ExportRequest } from '../../../src/workrail/bundle';
import { Digest, type Bundle, type SessionId } from '../../../src/workrail/model';
import { MemoryStore } from '../memory-store';
import { makeSession, type SessionShape } from '../sessions';

/** A bundle as loose JSON. */
export type Loose = Omit<Bundle, 'session' | 'bundleSchemaVersion' | 'artifacts'> & {
  bundleSchemaVersion: unknown;
  artifacts?: Record<string, unknown>;
  session: {
    sessionId: string;
    events: Record<string, unknown>[];
    manifest: Record<string, unknown>[];
    snapshots: Record<string, unknown>;
    pinnedWorkflows: Record<string, unknown>;
  };
};

export async function exported(
  store: MemoryStore,
  id: SessionId,
  options: Partial<ExportRequest> = {},
): Promise<string> {
  const prefix = (await store.loadValidatedPrefix(id))._unsafeUnwrap();
  const pieces: string[] = [];
  const request = {
    prefix,
    producer: { appVersion: '1.0.0' },
    exportedAtMs: 0,
    artifacts: 'embedded' as const,
  };
  const done = await exportBundle(store.stores, { ...request, ...options }, (text) => {
    pieces.push(text);
    return Promise.resolve();
  });
  if (done.isErr()) throw new Error(done.error.message);
  return pieces.join('');
}

/** The bundle of a fresh session, as JSON. */
export async function bundleOf(shape: SessionShape = {}): Promise<Loose> {
  const store = new MemoryStore();
  return JSON.parse(await exported(store, await makeSession(store, shape))) as Loose;
}

/** The integrity of what is in there now, as another producer would write it: nothing is said on the bytes of segments. */
export function sealed(bundle: Loose): Loose {
  const { events, manifest, snapshots, pinnedWorkflows } = bundle.session;
  const parts: [string, unknown][] = [
    ['session/events', events],
    ['session/manifest', manifest],
    ...Object.entries(snapshots).map(([ref, value]): [string, unknown] => [
      `session/snapshots/${ref}`,
      value,
    ]),
    ...Object.entries(pinnedWorkflows).map(([hash, value]): [string, unknown] => [
      `session/pinnedWorkflows/${hash}`,
      value,
    ]),
    ...Object.entries(bundle.artifacts ?? {}).map(([digest, value]): [string, unknown] => [
      `artifacts/${digest}`,
      value,
    ]),
  ];
  const entries = parts.map(([path, value]) => ({
    path,
    sha256: digestOf(value)._unsafeUnwrap(),
    bytes: Buffer.byteLength(canonicalJson(value)._unsafeUnwrap()),
  }));
  const integrity = { kind: 'sha256_manifest_v1', entries };
  return { ...bundle, integrity: integrity as unknown as Loose['integrity'] };
}

/** The same, with what our own exporter says on the bytes of segments. */
export function sealedAsOurs(bundle: Loose): Loose {
  const { integrity, ...rest } = sealed(bundle);
  const lines = bundle.session.events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return { ...rest, integrity: { ...integrity, eventLines: Digest.parse(sha256Digest(lines)) } };
}

/** A text in chunks of some length. */
export async function* chunked(text: string, length = 64 * 1024): Chunks {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += length) {
    await Promise.resolve();
    yield bytes.subarray(i, i + length);
  }
}

/** What the verifier says of a value: "OK" or a code. */
export async function verdictOf(value: unknown): Promise<string> {
  const verified = await verifyBundle(chunked(JSON.stringify(value)));
  return verified.match(
    () => 'OK',
    ({ code }) => code,
  );
}
