import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digestOf } from '../../../src/canonical';
import { ERRORS } from '../../../src/errors';
import { verifyBundle } from '../../../src/workrail/bundle';
import { MemoryStore } from '../memory-store';
import { makeSession, workflow } from '../sessions';
import { bundleOf, chunked, exported, sealed, sealedAsOurs, verdictOf, type Loose } from './bundles';

const OTHER = `sha256:${'d'.repeat(64)}`;
let bundle: Loose;
beforeEach(async () => {
  bundle = await bundleOf({ notes: ['one', 'two'] });
});

/** The first event of a kind. */
const eventOf = (kind: string): Record<string, unknown> => {
  const found = bundle.session.events.find((event) => event.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found;
};
const dataOf = (kind: string) => eventOf(kind).data as Record<string, unknown>;
const pins = () => bundle.session.manifest.filter(({ kind }) => kind === 'snapshot_pinned');
/** Change the manifest, and number its records anew. */
const rewrite = (change: (manifest: Record<string, unknown>[]) => unknown) => () => {
  const { manifest } = bundle.session;
  change(manifest);
  for (const [i, record] of manifest.entries()) record.manifestIndex = i;
};
/** A change, and what is said of the bundle after it, rightly sealed. */
const after = (change: () => unknown): Promise<string> => {
  change();
  return verdictOf(sealed(bundle));
};

describe('a bundle', () => {
  it('[bundle-format-single-json] is one JSON document of a versioned envelope', async () => {
    const store = new MemoryStore();
    const text = await exported(store, await makeSession(store));
    expect(JSON.parse(text)).toMatchObject({ bundleSchemaVersion: 1, session: { sessionId: 'sess_one' } });
    expect((await verifyBundle(chunked(text))).isOk()).toBe(true);
  });

  it('is read alike in chunks of any size, and with any space between', async () => {
    const text = JSON.stringify(await bundleOf({ notes: ['a "quote", a \\ and an é 🚂'] }), null, 2);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5000 }), async (length) => {
        expect((await verifyBundle(chunked(text, length))).isOk()).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('[schema-additive-within-version] passes with fields of its envelope that are not known here', async () => {
    expect(await verdictOf({ ...bundle, comment: [1, { two: 3 }] })).toBe('OK');
  });

  it('passes with its keys in another order: integrity is of values', async () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, one]) => [key, turned(one)]),
            )
          : value;
    expect(await verdictOf(turned(bundle))).toBe('OK');
  });

  it('is never OK when any one character of its session or its integrity is gone', async () => {
    const text = JSON.stringify(bundle);
    const [min, max] = [text.indexOf('"session"'), text.indexOf(',"eventLines"')];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min, max }), async (at) => {
        expect((await verifyBundle(chunked(text.slice(0, at) + text.slice(at + 1)))).isErr()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('BUNDLE_INVALID_FORMAT', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'bundle'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a text', '"bundle"'],
    ['two documents', '{}{}'],
    ['a deep nest', `{"a":${'['.repeat(100_000)}`],
    ['a name twice', '{"bundleSchemaVersion":1,"bundleSchemaVersion":1}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('is said of %s', async (_, content) => {
    async function* chunks() {
      await Promise.resolve();
      yield content;
    }
    expect((await verifyBundle(chunks()))._unsafeUnwrapErr().code).toBe('BUNDLE_INVALID_FORMAT');
  });

  it('is said of a bundle that was cut off, wherever', async () => {
    const text = JSON.stringify(bundle);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), async (length) => {
        const cut = await verifyBundle(chunked(text.slice(0, length)));
        expect(cut._unsafeUnwrapErr().code).toBe('BUNDLE_INVALID_FORMAT');
      }),
      { numRuns: 200 },
    );
  });

  it.each(['bundleSchemaVersion', 'bundleId', 'exportedAt', 'producer', 'integrity', 'session'])(
    'is said where %s is missing',
    async (field) => {
      expect(await verdictOf({ ...bundle, [field]: undefined })).toBe('BUNDLE_INVALID_FORMAT');
    },
  );

  it.each(['sessionId', 'events', 'manifest', 'snapshots', 'pinnedWorkflows'])(
    'is said where the session has no %s, or one of another type',
    async (field) => {
      for (const value of [undefined, 7]) {
        const session = { ...bundle.session, [field]: value };
        expect(await verdictOf({ ...bundle, session })).toBe('BUNDLE_INVALID_FORMAT');
      }
    },
  );

  it('[paths-relative-only] is said of a segment with an absolute path', async () => {
    const change = () => Object.assign(bundle.session.manifest[0] ?? {}, { segmentRelPath: '/etc/passwd' });
    expect(await after(change)).toBe('BUNDLE_INVALID_FORMAT');
  });

  it.each([
    ['an event of another session', () => (eventOf('run_started').sessionId = 'sess_two')],
    ['a dedupe key twice', () => (eventOf('run_started').dedupeKey = eventOf('session_created').dedupeKey)],
    [
      'a node whose parent is nowhere',
      () => (dataOf('advance_recorded').outcome = { kind: 'advanced', toNodeId: 'x' }),
    ],
    ['a node whose parent is nowhere', () => (dataOf('node_created').parentNodeId = 'nowhere')],
    ['an edge to nowhere', () => (dataOf('edge_created').toNodeId = 'nowhere')],
    ['a payload of no kind', () => (eventOf('edge_created').data = {})],
  ])('is said of %s', async (_, change) => {
    expect(await after(change)).toBe('BUNDLE_INVALID_FORMAT');
  });
});

describe('BUNDLE_UNSUPPORTED_VERSION', () => {
  it('[schema-unknown-version-fail-fast] is said of a bundle of the future, whatever else is in it', async () => {
    expect(await verdictOf({ session: 'other', integrity: null, bundleSchemaVersion: 2 })).toBe(
      'BUNDLE_UNSUPPORTED_VERSION',
    );
  });

  it.each([
    ['event', () => (eventOf('run_started').v = 2)],
    ['manifest record', () => Object.assign(bundle.session.manifest[0] ?? {}, { v: 2 })],
    ['snapshot', () => Object.assign(Object.values(bundle.session.snapshots)[0] ?? {}, { v: 2 })],
    [
      'workflow',
      () => Object.assign(Object.values(bundle.session.pinnedWorkflows)[0] ?? {}, { schemaVersion: 2 }),
    ],
  ])('[schema-versioned] is said of an %s of the future', async (_, change) => {
    expect(await after(change)).toBe('BUNDLE_UNSUPPORTED_VERSION');
  });
});

describe('BUNDLE_INTEGRITY_FAILED', () => {
  const entries = () => bundle.integrity.entries;

  it('[bundle-integrity-jcs-sha256] is said when an event changes and its digest does not', async () => {
    // As long as it was, and with a manifest that fits: nothing but the digest can tell.
    dataOf('node_output_appended').payload = { payloadKind: 'notes', notesMarkdown: 'eno' };
    const { entries: old } = bundle.integrity;
    const { eventLines: _lines, ...integrity } = bundle.integrity as Loose['integrity'] & {
      eventLines?: unknown;
    };
    expect(sealed(bundle).integrity.entries.map(({ bytes }) => bytes)).toEqual(old.map(({ bytes }) => bytes));
    expect(await verdictOf({ ...bundle, integrity })).toBe('BUNDLE_INTEGRITY_FAILED');
  });

  it('is said for each entry that is not listed', async () => {
    for (const left of entries()) {
      const listed = entries().filter((entry) => entry !== left);
      const less = { ...bundle, integrity: { ...bundle.integrity, entries: listed } };
      expect(await verdictOf(less)).toBe('BUNDLE_INTEGRITY_FAILED');
    }
  });

  it.each([
    ['a wrong digest', () => Object.assign(entries()[0] ?? {}, { sha256: OTHER })],
    ['a wrong count of bytes', () => Object.assign(entries()[0] ?? {}, { bytes: 1 })],
    ['an unknown path', () => Object.assign(entries()[0] ?? {}, { path: 'session/other' })],
    ['an entry twice', () => entries().push(...entries().slice(0, 1))],
  ])('is said of %s', async (_, change) => {
    change();
    expect(await verdictOf(bundle)).toBe('BUNDLE_INTEGRITY_FAILED');
  });

  it.each(['snapshots', 'pinnedWorkflows'] as const)(
    'is said where a value of %s is not of its name, though it is listed rightly',
    async (map) => {
      const [first = ''] = Object.keys(bundle.session[map]);
      const value: unknown =
        map === 'snapshots'
          ? { v: 1, kind: 'execution_snapshot', enginePayload: { v: 1, engineState: { kind: 'init' } } }
          : workflow('other');
      expect(await after(() => (bundle.session[map][first] = value))).toBe('BUNDLE_INTEGRITY_FAILED');
    },
  );

  it('is said where a segment of ours attests other bytes than its events have', async () => {
    Object.assign(bundle.session.manifest[0] ?? {}, { sha256: OTHER });
    expect(await verdictOf(sealedAsOurs(bundle))).toBe('BUNDLE_INTEGRITY_FAILED');
  });

  it('is not said of segments of another producer, whose bytes nobody can know', async () => {
    expect(await after(() => Object.assign(bundle.session.manifest[0] ?? {}, { sha256: OTHER }))).toBe('OK');
  });

  it('is said of an artifact that is not of its name', async () => {
    const store = new MemoryStore();
    const digest = (await store.artifacts.put(Buffer.from('text')))._unsafeUnwrap();
    const id = await makeSession(store, { artifacts: [{ digest, byteLength: 4 }] });
    bundle = JSON.parse(await exported(store, id)) as Loose;
    expect(await verdictOf(bundle)).toBe('OK');
    const base64 = Buffer.from('next').toString('base64');
    bundle.artifacts = { [digest]: { contentType: 'text/plain', byteLength: 4, base64 } };
    expect(await verdictOf(sealed(bundle))).toBe('BUNDLE_INTEGRITY_FAILED');
  });
});

describe('BUNDLE_EVENT_ORDER_INVALID', () => {
  it.each([
    ['two events change places', () => bundle.session.events.reverse()],
    ['an event is missing', () => bundle.session.events.splice(3, 1)],
    ['they begin at 1', () => bundle.session.events.shift()],
  ])('[event-index-zero-based] [event-index-monotonic-contiguous] is said when %s', async (_, change) => {
    expect(await after(change)).toBe('BUNDLE_EVENT_ORDER_INVALID');
  });
});

describe('BUNDLE_MANIFEST_ORDER_INVALID', () => {
  it.each([
    ['two records change places', () => bundle.session.manifest.reverse()],
    ['a segment is missing', () => bundle.session.manifest.splice(2, 1)],
    ['a segment is missing and the rest numbered anew', rewrite((all) => all.splice(2, 1))],
    ['the last segment is missing', () => bundle.session.manifest.splice(-2)],
    ['a node has no pin', rewrite((all) => all.splice(all.indexOf(pins()[0] ?? {}), 1))],
    [
      'a pin is of another snapshot',
      () => Object.assign(pins()[0] ?? {}, { snapshotRef: pins()[1]?.snapshotRef }),
    ],
    ['a pin stands before its segment', rewrite((all) => all.unshift(...all.splice(1, 1)))],
  ])('[pin-after-close] is said when %s', async (_, change) => {
    expect(await after(change)).toBe('BUNDLE_MANIFEST_ORDER_INVALID');
  });
});

describe('what events refer to', () => {
  it('is BUNDLE_MISSING_SNAPSHOT when a snapshot is gone', async () => {
    expect(await after(() => (bundle.session.snapshots = {}))).toBe('BUNDLE_MISSING_SNAPSHOT');
  });

  it('is BUNDLE_MISSING_PINNED_WORKFLOW when a workflow is gone', async () => {
    expect(await after(() => (bundle.session.pinnedWorkflows = {}))).toBe('BUNDLE_MISSING_PINNED_WORKFLOW');
  });

  it('must be of the workflow that its run is pinned to', async () => {
    const other = workflow('other');
    const hash = digestOf(other)._unsafeUnwrap();
    bundle.session.pinnedWorkflows[hash] = other;
    expect(await after(() => (dataOf('node_created').workflowHash = hash))).toBe('BUNDLE_INVALID_FORMAT');
  });
});

it('[bundle-errors-closed-set] seven codes are said of bundles, and of several faults the first by phase', async () => {
  // From the last phase to the first: each fault hides the ones before it.
  const faults: [string, () => unknown][] = [
    ['BUNDLE_MISSING_PINNED_WORKFLOW', () => (bundle.session.pinnedWorkflows = {})],
    ['BUNDLE_MISSING_SNAPSHOT', () => (bundle.session.snapshots = {})],
    ['BUNDLE_MANIFEST_ORDER_INVALID', () => bundle.session.manifest.reverse()],
    ['BUNDLE_EVENT_ORDER_INVALID', () => bundle.session.events.reverse()],
    ['BUNDLE_INTEGRITY_FAILED', () => (bundle.artifacts = {})],
    ['BUNDLE_INVALID_FORMAT', () => (bundle.session.sessionId = '?')],
    ['BUNDLE_UNSUPPORTED_VERSION', () => (bundle.bundleSchemaVersion = 3)],
  ];
  for (const [code, change] of faults) {
    change();
    const seal =
      code === 'BUNDLE_INTEGRITY_FAILED'
        ? (one: Loose) => ({ ...one, integrity: { ...sealed(one).integrity, entries: [] } })
        : sealed;
    expect(await verdictOf(seal(bundle))).toBe(code);
  }
  const codes = Object.keys(ERRORS).filter((code) => code.startsWith('BUNDLE_'));
  expect(new Set(faults.map(([code]) => code))).toEqual(new Set(codes));
  expect(codes).toHaveLength(7);
});
