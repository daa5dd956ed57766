import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exportBundle, importBundle } from '../../../src/workrail/bundle';
import {
  FolderShelf,
  KeepListFile,
  LocalSessionShelf,
  openWorkrailStore,
  type WorkrailStore,
} from '../../../src/workrail/local';
import { SessionId } from '../../../src/workrail/model';
import { collectGarbage, DEFAULT_POLICY, type RetentionStores } from '../../../src/workrail/retention';
import { chunked } from '../bundle/bundles';
import { plansFor, sessionId, workflow } from '../sessions';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'railyard-bundle-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const storeAt = async (name: string): Promise<WorkrailStore> =>
  (await openWorkrailStore({ root: join(root, name) }))._unsafeUnwrap();

/** A session on disk with so many notes, and an artifact. */
async function makeSession(store: WorkrailStore, notes: number): Promise<SessionId> {
  await store.workflows.put(workflow());
  const digest = (await store.artifacts.put(Buffer.from('bytes')))._unsafeUnwrap();
  const artifacts = [{ digest, byteLength: 5 }];
  const plans = plansFor({ notes: Array.from({ length: notes }, (_, i) => `note ${i}`), artifacts });
  const appended = await store.sessions.withSession(sessionId(), async (_, witness) => {
    for (const plan of plans) (await store.sessions.append(witness, [plan]))._unsafeUnwrap();
    return store.sessions.append(witness, plans);
  });
  appended._unsafeUnwrap();
  return sessionId();
}

async function exported(store: WorkrailStore, id: SessionId): Promise<string> {
  const prefix = (await store.sessions.loadValidatedPrefix(id))._unsafeUnwrap();
  const pieces: string[] = [];
  const request = { prefix, producer: { appVersion: '1' }, exportedAtMs: 0, artifacts: 'embedded' as const };
  const done = await exportBundle(store, request, (text) => {
    pieces.push(text);
    return Promise.resolve();
  });
  done._unsafeUnwrap();
  return pieces.join('');
}

/** The store called "here", as garbage collection sees it. */
function retained(store: WorkrailStore): RetentionStores {
  const at = (folder: string) => join(root, 'here', folder);
  return {
    reader: store.sessions,
    sessions: new LocalSessionShelf(at('')),
    content: {
      snapshots: new FolderShelf(at('snapshots')),
      workflows: new FolderShelf(at('workflows')),
      artifacts: new FolderShelf(at('artifacts')),
    },
    keepList: new KeepListFile(at('')),
    others: [],
  };
}

const importInto = (store: WorkrailStore, text: string) =>
  importBundle({ ...store, sessions: store.importer }, () => chunked(text), {
    sessionId: () => SessionId.parse('sess_fresh'),
  });

describe('a session on disk', () => {
  it('goes to another store by bundle, is healthy there, and can be gone on with', async () => {
    const [here, there] = [await storeAt('here'), await storeAt('there')];
    const id = await makeSession(here, 20);
    (await importInto(there, await exported(here, id)))._unsafeUnwrap();
    const again = (await (await storeAt('there')).sessions.load(id))._unsafeUnwrap();
    expect(again.events()).toEqual((await here.sessions.load(id))._unsafeUnwrap().events());
    expect((await there.checkSession(id))._unsafeUnwrap()).toMatchObject({ health: 'healthy' });
    const replayed = await there.sessions.withSession(id, (_, witness) =>
      there.sessions.append(witness, plansFor()),
    );
    expect(replayed._unsafeUnwrap().map(({ kind }) => kind)).toEqual(['already_there', 'already_there']);
  });

  it('[bundle-import-as-new] is imported beside the one of the same id', async () => {
    const store = await storeAt('here');
    const text = await exported(store, await makeSession(store, 3));
    expect((await importInto(store, text))._unsafeUnwrap().sessionId).toBe('sess_fresh');
    expect((await store.sessions.list())._unsafeUnwrap()).toEqual(['sess_fresh', 'sess_one']);
    expect((await store.checkSession(SessionId.parse('sess_fresh')))._unsafeUnwrap()).toMatchObject({
      health: 'healthy',
    });
  });

  it('is not there at all when its import stops in the middle', async () => {
    const store = await storeAt('here');
    await store.workflows.put(workflow());
    function* dying() {
      yield* plansFor({ notes: ['one'] }).slice(0, 2);
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    }
    expect((await store.importer.importSession(sessionId(), dying()))._unsafeUnwrapErr().code).toBe(
      'STORE_IO',
    );
    expect(readdirSync(join(root, 'here', 'sessions'))).toEqual([]);
  });

  it('keeps everything in its store alive while its manifest is gone, and is named for it', async () => {
    const store = await storeAt('here');
    const id = await makeSession(store, 2);
    rmSync(join(root, 'here', 'sessions', id, 'manifest.jsonl'));
    const run = { policy: DEFAULT_POLICY, nowMs: Number.MAX_SAFE_INTEGER, mode: 'delete' as const };
    const fresh = await storeAt('here');
    const report = (await collectGarbage(retained(fresh), run))._unsafeUnwrap();
    expect(report).toMatchObject({
      safeMode: [{ code: 'session_not_healthy', sessionId: id }],
      sessions: [],
      content: { snapshots: { digests: [] } },
    });
  });

  it('is taken away with all that only it refers to when its time is over', async () => {
    const store = await storeAt('here');
    const id = await makeSession(store, 2);
    const stores = retained(store);
    utimesSync(join(root, 'here', `sessions/${id}/manifest.jsonl`), 1, 1);
    const nowMs = Date.now() + 100 * 24 * 60 * 60 * 1000 + 1_794_000_000_000;
    const report = (
      await collectGarbage(stores, { policy: DEFAULT_POLICY, nowMs, mode: 'delete' })
    )._unsafeUnwrap();
    expect(report).toMatchObject({ sessions: [id], retained: 0, safeMode: [] });
    for (const shelf of Object.values(stores.content))
      expect((await shelf.list())._unsafeUnwrap()).toEqual([]);
    expect((await store.sessions.load(id))._unsafeUnwrapErr().code).toBe('SESSION_NOT_FOUND');
  });
});
