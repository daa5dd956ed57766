import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportBundle, importBundle, verifyBundle } from '../../../src/workrail/bundle';
import { dedupeKeys, RunId, SessionId, type DomainEvent } from '../../../src/workrail/model';
import { decodeToken, encodeToken, statePayloadOf } from '../../../src/workrail/tokens';
import { MemoryStore } from '../memory-store';
import { makeSession, plansFor, sessionId, workflow, type SessionShape } from '../sessions';
import { signer } from '../tokens/tokens';
import { chunked, exported, type Loose } from './bundles';

const minting = (...ids: readonly string[]) => {
  const left = [...ids];
  return { sessionId: () => SessionId.parse(left.shift() ?? 'none') };
};
const importText = (store: MemoryStore, text: string, ...fresh: readonly string[]) =>
  importBundle(store.stores, () => chunked(text), minting(...fresh));
const eventsOf = (store: MemoryStore, id: string): readonly DomainEvent[] =>
  store.held.get(SessionId.parse(id))?.events() ?? [];
const isEmpty = ({ held, snapshotShelf, workflowShelf, artifactShelf }: MemoryStore): boolean =>
  [held, snapshotShelf.kept, workflowShelf.kept, artifactShelf.kept].every(({ size }) => size === 0);

async function exportedFrom(shape: SessionShape = {}): Promise<string> {
  const store = new MemoryStore();
  return exported(store, await makeSession(store, shape));
}

describe('a session that is exported and imported', () => {
  it('has the same events, snapshots and workflows, whatever was said in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 50 }), { maxLength: 6 }),
        async (notes) => {
          const [here, there] = [new MemoryStore(), new MemoryStore()];
          const id = await makeSession(here, { notes });
          const imported = (await importText(there, await exported(here, id)))._unsafeUnwrap();
          expect(imported).toMatchObject({ sessionId: id, exportedSessionId: id, missingArtifacts: [] });
          expect(eventsOf(there, id)).toEqual(eventsOf(here, id));
          expect([...there.snapshotShelf.kept.keys()].sort()).toEqual(
            [...here.snapshotShelf.kept.keys()].sort(),
          );
          expect(there.workflowShelf.kept).toEqual(here.workflowShelf.kept);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('exports as the same truth again', async () => {
    const text = await exportedFrom({ notes: ['one', 'two'] });
    const there = new MemoryStore();
    await importText(there, text);
    const again = JSON.parse(await exported(there, sessionId())) as Loose;
    const first = JSON.parse(text) as Loose;
    expect(again.session.events).toEqual(first.session.events);
    expect(again.session.snapshots).toEqual(first.session.snapshots);
  });

  it('brings its artifacts along', async () => {
    const [here, there] = [new MemoryStore(), new MemoryStore()];
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
    const digest = (await here.artifacts.put(bytes))._unsafeUnwrap();
    const id = await makeSession(here, { artifacts: [{ digest, byteLength: bytes.length }] });
    (await importText(there, await exported(here, id)))._unsafeUnwrap();
    expect(Buffer.from((await there.artifacts.get(digest))._unsafeUnwrap())).toEqual(Buffer.from(bytes));
  });

  it('says which artifacts were left out and are not here', async () => {
    const [here, there] = [new MemoryStore(), new MemoryStore()];
    const digest = (await here.artifacts.put(Buffer.from('x')))._unsafeUnwrap();
    const id = await makeSession(here, { artifacts: [{ digest, byteLength: 1 }] });
    const text = await exported(here, id, { artifacts: 'left_out' });
    expect((await importText(there, text))._unsafeUnwrap().missingArtifacts).toEqual([digest]);
  });

  it('[bundle-tokens-not-portable] carries no token, and gets fresh ones from its nodes', async () => {
    const text = await exportedFrom();
    expect(text).not.toMatch(/\b(st|ack|chk)\.v1\./);
    const there = new MemoryStore();
    await importText(there, text);
    const nodes = eventsOf(there, 'sess_one').filter((event) => event.kind === 'node_created');
    for (const node of nodes) {
      const token = encodeToken(statePayloadOf(node), signer);
      expect(decodeToken('state', token, signer)._unsafeUnwrap()).toMatchObject({
        sessionId: node.sessionId,
        ...node.scope,
        workflowHash: node.data.workflowHash,
      });
    }
    expect(nodes).toHaveLength(2);
  });
});

describe('an import under a session id that is taken', () => {
  it('[bundle-import-as-new] makes a new session and leaves the one that is there alone', async () => {
    const store = new MemoryStore();
    const id = await makeSession(store, { notes: ['one'] });
    const before = JSON.stringify(eventsOf(store, id));
    const text = await exported(store, id);
    const imported = (await importText(store, text, 'sess_new'))._unsafeUnwrap();
    expect(imported).toMatchObject({ sessionId: 'sess_new', exportedSessionId: id });
    expect(JSON.stringify(eventsOf(store, id))).toBe(before);
  });

  it('gives its events the new id, also in their dedupe keys, and keeps runs, nodes and event ids', async () => {
    const store = new MemoryStore();
    await makeSession(store, { notes: ['one'] });
    await importText(store, await exported(store, sessionId()), 'sess_new');
    const [old, fresh] = [eventsOf(store, 'sess_one'), eventsOf(store, 'sess_new')];
    expect(new Set(fresh.map((event) => event.sessionId))).toEqual(new Set(['sess_new']));
    expect(fresh.map(({ dedupeKey }) => dedupeKey)).toEqual(
      plansFor({ id: 'sess_new', notes: ['one'] }).flatMap(({ events }) =>
        events.map(({ dedupeKey }) => dedupeKey),
      ),
    );
    expect(fresh[1]?.dedupeKey).toBe(dedupeKeys.runStarted(sessionId('sess_new'), RunId.parse('run_one')));
    expect(fresh.map(({ eventId, scope }) => ({ eventId, scope }))).toEqual(
      old.map(({ eventId, scope }) => ({ eventId, scope })),
    );
  });

  it('tries another id where the fresh one is taken as well', async () => {
    const store = new MemoryStore();
    await makeSession(store);
    await makeSession(store, { id: 'sess_new' });
    const text = await exported(store, sessionId());
    expect((await importText(store, text, 'sess_new', 'sess_newer'))._unsafeUnwrap().sessionId).toBe(
      'sess_newer',
    );
  });
});

describe('an import that cannot be', () => {
  it('[bundle-import-validates-first] stores nothing at all, wherever the bundle is damaged', async () => {
    const here = new MemoryStore();
    const digest = (await here.artifacts.put(Buffer.from('x')))._unsafeUnwrap();
    const text = await exported(here, await makeSession(here, { artifacts: [{ digest, byteLength: 1 }] }));
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 2), async (length) => {
        const there = new MemoryStore();
        expect((await importText(there, text.slice(0, length))).isErr()).toBe(true);
        expect(isEmpty(there)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves no session when the store gives up in the middle', async () => {
    const notes = Array.from({ length: 1200 }, (_, i) => `note ${i}`);
    const text = await exportedFrom({ notes, notesAPlan: 100 });
    const there = new MemoryStore();
    there.importDiesAt = 1;
    expect((await importText(there, text))._unsafeUnwrapErr().code).toBe('STORE_FULL');
    expect(there.held.size).toBe(0);
  });

  it('is refused when the bundle changes between its two readings', async () => {
    const here = new MemoryStore();
    const digest = (await here.artifacts.put(Buffer.from('x')))._unsafeUnwrap();
    const text = await exported(here, await makeSession(here, { artifacts: [{ digest, byteLength: 1 }] }));
    const changed = text.replace(/"base64":"[^"]*"/, '"base64":"eXl5"');
    const texts = [text, changed];
    const there = new MemoryStore();
    const done = await importBundle(there.stores, () => chunked(texts.shift() ?? ''), minting());
    expect(done._unsafeUnwrapErr().code).toBe('BUNDLE_INTEGRITY_FAILED');
    expect(there.held.size).toBe(0);
  });

  it('is STORE_IO when its source breaks', async () => {
    async function* broken() {
      await Promise.resolve();
      yield '{"bundleSchemaVersion":1,';
      throw new Error('gone');
    }
    const done = await importBundle(new MemoryStore().stores, broken, minting());
    expect(done._unsafeUnwrapErr().code).toBe('STORE_IO');
  });
});

describe('a session that is not healthy', () => {
  it('[salvage-read-only] exports its readable part as salvaged; that can be checked, and not imported', async () => {
    const store = new MemoryStore();
    const id = await makeSession(store);
    const session = store.held.get(id);
    if (session) session.health = 'corrupt_tail';
    const text = await exported(store, id);
    expect((await verifyBundle(chunked(text)))._unsafeUnwrap().envelope.salvaged).toEqual({
      health: 'corrupt_tail',
      reason: 'a segment is gone',
    });
    const there = new MemoryStore();
    const refused = (await importText(there, text))._unsafeUnwrapErr();
    expect(refused.code).toBe('BUNDLE_INTEGRITY_FAILED');
    expect(refused.suggestion).toContain('nobody can go on from it');
    expect(isEmpty(there)).toBe(true);
  });

  it('is not exported when nothing of it can be read', async () => {
    const store = new MemoryStore();
    const id = await makeSession(store);
    store.held.get(id)?.log.splice(0);
    const prefix = (await store.loadValidatedPrefix(id))._unsafeUnwrap();
    const request = {
      prefix,
      producer: { appVersion: '1' },
      exportedAtMs: 0,
      artifacts: 'left_out' as const,
    };
    const done = await exportBundle(store.stores, request, () => Promise.resolve());
    expect(done._unsafeUnwrapErr().code).toBe('SESSION_CORRUPT');
  });

  it('is not exported when a snapshot of it is gone', async () => {
    const store = new MemoryStore();
    const id = await makeSession(store, { workflow: workflow() });
    store.snapshotShelf.kept.clear();
    await expect(exported(store, id)).rejects.toThrow('There is no sha256:');
  });
});

describe('an export', () => {
  it('is the same bundle when made again, and another one when the session has grown', async () => {
    const store = new MemoryStore();
    const id = await makeSession(store);
    const idOf = async () => (JSON.parse(await exported(store, id)) as Loose).bundleId;
    const first = await idOf();
    expect(await idOf()).toBe(first);
    await store.withSession(id, (_, witness) =>
      store.append(
        witness,
        plansFor({ notes: ['more'] })
          .slice(1, 2)
          .map(renamed),
      ),
    );
    expect(await idOf()).not.toBe(first);
  });

  it('is written in pieces, each waited for, and lets others work in between', async () => {
    const store = new MemoryStore();
    const notes = Array.from({ length: 2000 }, (_, i) => `note ${i}: ${'x'.repeat(200)}`);
    await store.workflows.put(workflow());
    await store.importSession(sessionId(), plansFor({ notes, notesAPlan: 500 }));
    const prefix = (await store.loadValidatedPrefix(sessionId()))._unsafeUnwrap();
    const request = {
      prefix,
      producer: { appVersion: '1' },
      exportedAtMs: 0,
      artifacts: 'left_out' as const,
    };
    let [writing, turns, longest] = [0, 0, 0];
    const others = setInterval(() => (turns += 1), 0);
    await exportBundle(store.stores, request, async (text) => {
      expect(writing++).toBe(0);
      longest = Math.max(longest, text.length);
      await new Promise((resolve) => setImmediate(resolve));
      writing--;
    });
    clearInterval(others);
    expect(turns).toBeGreaterThan(0);
    expect(longest).toBeLessThan(80_000);
  });
});

/** The same fact under another id, so that it is a new one. */
function renamed(plan: ReturnType<typeof plansFor>[number]): ReturnType<typeof plansFor>[number] {
  const text = JSON.stringify(plan).replaceAll('out_0', 'out_9').replaceAll('evt_sess_one_3', 'evt_more');
  return JSON.parse(text) as ReturnType<typeof plansFor>[number];
}
