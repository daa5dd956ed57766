import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { problem, type RailyardError } from '../../../src/errors';
import { SESSION_HEALTHS, type SessionId } from '../../../src/workrail/model';
import {
  collectGarbage,
  DEFAULT_POLICY,
  type RetentionReport,
  type RetentionRun,
} from '../../../src/workrail/retention';
import { type KeepList, type RootSource } from '../../../src/workrail/ports';
import { MemoryStore } from '../memory-store';
import { makeSession, sessionId, workflow } from '../sessions';

const DAY = 24 * 60 * 60 * 1000;
const NOW = 1_800_000_000_000;
const LONG_AGO = NOW - 61 * DAY;

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

const keeping = (...ids: readonly string[]): KeepList => ({
  read: () => Promise.resolve(ok(new Set(ids.map(sessionId)))),
});
const unreadable: KeepList = {
  read: () => Promise.resolve(err<never, RailyardError>(problem('CONFIG_INVALID', 'No keep list.'))),
};

async function collect(
  run: Partial<RetentionRun> = {},
  keepList = keeping(),
  others: readonly RootSource[] = [],
): Promise<RetentionReport> {
  const content = {
    snapshots: store.snapshotShelf,
    workflows: store.workflowShelf,
    artifacts: store.artifactShelf,
  };
  const stores = { reader: store, sessions: store, content, keepList, others };
  const all = { policy: DEFAULT_POLICY, nowMs: NOW, mode: 'delete' as const, ...run };
  return (await collectGarbage(stores, all))._unsafeUnwrap();
}

/** A session with a workflow and an artifact of its own, last touched at some time. */
async function session(id: string, atMs: number): Promise<SessionId> {
  store.nowMs = atMs;
  const bytes = Buffer.from(`artifact of ${id}`);
  const digest = (await store.artifacts.put(bytes))._unsafeUnwrap();
  const artifacts = [{ digest, byteLength: bytes.length }];
  return makeSession(store, { id, workflow: workflow(id), artifacts, timestampMs: atMs });
}

const held = () => [...store.held.keys()];
const sizes = () =>
  [store.snapshotShelf, store.workflowShelf, store.artifactShelf].map(({ kept }) => kept.size);

describe('sessions', () => {
  it('go when they have been quiet for longer than 60 days, and what only they refer to goes with them', async () => {
    await session('sess_old', LONG_AGO);
    const report = await collect();
    expect(report).toMatchObject({ sessions: ['sess_old'], retained: 0, safeMode: [] });
    expect(held()).toEqual([]);
    expect(sizes()).toEqual([0, 0, 0]);
  });

  it('stay until then', async () => {
    await session('sess_new', NOW - 59 * DAY);
    expect(await collect()).toMatchObject({ sessions: [], retained: 1 });
    expect(held()).toEqual(['sess_new']);
  });

  it('go earlier or later by the policy', async () => {
    await session('sess_one', NOW - 3 * DAY);
    expect((await collect({ policy: { ...DEFAULT_POLICY, ttlMs: 2 * DAY } })).sessions).toEqual(['sess_one']);
  });

  it.each([
    ['an event', { timestampMs: NOW, touched: LONG_AGO }],
    ['the manifest', { timestampMs: LONG_AGO, touched: NOW }],
  ])('stay where %s is young', async (_, { timestampMs, touched }) => {
    store.nowMs = touched;
    await makeSession(store, { timestampMs });
    expect((await collect()).sessions).toEqual([]);
  });

  it('stay when they are on the keep list', async () => {
    await session('sess_old', LONG_AGO);
    expect(await collect({}, keeping('sess_old'))).toMatchObject({ sessions: [], retained: 1 });
    expect(sizes()).toEqual([2, 1, 1]);
  });

  it('stay, with all they refer to, while somebody writes to them', async () => {
    const id = await session('sess_old', LONG_AGO);
    store.locked.add(id);
    expect(await collect()).toMatchObject({ sessions: [], busy: ['sess_old'], retained: 1 });
    expect(sizes()).toEqual([2, 1, 1]);
  });

  it('go before content does', async () => {
    await session('sess_old', LONG_AGO);
    const order: string[] = [];
    const remove = store.snapshotShelf.remove.bind(store.snapshotShelf);
    store.snapshotShelf.remove = (digest, since) => {
      order.push(...store.removed, 'snapshot');
      return remove(digest, since);
    };
    await collect();
    expect(order.slice(0, 2)).toEqual(['sess_old', 'snapshot']);
  });
});

describe('content', () => {
  it('stays while any session refers to it', async () => {
    await session('sess_old', LONG_AGO);
    await session('sess_new', LONG_AGO);
    const kept = store.held.get(sessionId('sess_new'));
    if (kept) kept.touchedMs = NOW;
    const report = await collect();
    expect(report.content.snapshots.digests).toEqual([]);
    expect(report.content.workflows.digests).toHaveLength(1);
    expect(report.content.artifacts.digests).toHaveLength(1);
    expect(sizes()).toEqual([2, 1, 1]);
  });

  it('stays while somebody else refers to it', async () => {
    store.nowMs = LONG_AGO;
    const digest = (await store.artifacts.put(Buffer.from('of a run')))._unsafeUnwrap();
    const none = new Set<string>();
    const roots = { snapshots: none, workflows: none, artifacts: new Set([digest]) };
    await collect({}, keeping(), [{ roots: () => Promise.resolve(ok(roots)) }]);
    expect(sizes()).toEqual([0, 0, 1]);
  });

  it('stays when nobody can say who else refers to it', async () => {
    store.nowMs = LONG_AGO;
    await store.artifacts.put(Buffer.from('of a run'));
    const silent = { roots: () => Promise.resolve(err(problem('STORE_IO', 'Unreadable.'))) };
    const report = await collect({}, keeping(), [silent]);
    expect(report.safeMode).toMatchObject([{ code: 'store_unreadable' }]);
    expect(sizes()).toEqual([0, 0, 1]);
  });

  it('stays for a while after it was put, though nothing refers to it yet', async () => {
    store.nowMs = NOW - DAY / 2;
    await store.workflows.put(workflow('being_started'));
    await collect();
    expect(sizes()).toEqual([0, 1, 0]);
  });

  it('stays when it was put again between the look and the deed', async () => {
    store.nowMs = LONG_AGO;
    await store.workflows.put(workflow('again'));
    const list = store.workflowShelf.list.bind(store.workflowShelf);
    store.workflowShelf.list = async () => {
      const listed = await list();
      store.nowMs = NOW;
      await store.workflows.put(workflow('again'));
      return listed;
    };
    const report = await collect();
    expect(report.content.workflows.digests).toEqual([]);
    expect(sizes()).toEqual([0, 1, 0]);
  });

  it('of sessions that stay is never deleted, whatever the ages and the keep list', async () => {
    const aged = fc.record({ days: fc.integer({ min: 0, max: 120 }), kept: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(aged, { maxLength: 6 }), async (shapes) => {
        store = new MemoryStore();
        const ids = shapes.map((_, i) => `sess_${i}`);
        for (const [i, { days }] of shapes.entries()) await session(ids[i] ?? '', NOW - days * DAY);
        await collect({}, keeping(...ids.filter((_, i) => shapes[i]?.kept)));
        for (const { log, records } of store.held.values()) {
          for (const record of records) {
            if (record.kind === 'snapshot_pinned')
              expect(store.snapshotShelf.kept.has(record.snapshotRef)).toBe(true);
          }
          for (const event of log) {
            if (event.kind === 'run_started')
              expect(store.workflowShelf.kept.has(event.data.workflowHash)).toBe(true);
          }
        }
        const expected = ids.filter((_, i) => (shapes[i]?.days ?? 0) <= 60 || shapes[i]?.kept);
        expect(held().sort()).toEqual(expected.sort());
      }),
      { numRuns: 50 },
    );
  });
});

describe('safe mode', () => {
  it.each(SESSION_HEALTHS.filter((health) => health !== 'healthy'))(
    'deletes nothing while a session is %s, and says which',
    async (health) => {
      await session('sess_old', LONG_AGO);
      const id = await session('sess_bad', LONG_AGO);
      const bad = store.held.get(id);
      if (bad) bad.health = health;
      const report = await collect();
      expect(report.safeMode).toMatchObject([{ code: 'session_not_healthy', sessionId: 'sess_bad' }]);
      expect(report.sessions).toEqual([]);
      expect(held()).toHaveLength(2);
      expect(sizes()).toEqual([2, 2, 2]);
    },
  );

  it('deletes nothing while the keep list cannot be read', async () => {
    await session('sess_old', LONG_AGO);
    const report = await collect({}, unreadable);
    expect(report.safeMode).toMatchObject([{ code: 'keep_list_unreadable', sessionId: null }]);
    expect(held()).toEqual(['sess_old']);
  });

  it('deletes no content when a session breaks after the first look', async () => {
    await session('sess_old', LONG_AGO);
    const id = await session('sess_new', NOW);
    const list = store.snapshotShelf.list.bind(store.snapshotShelf);
    store.snapshotShelf.list = () => {
      const broken = store.held.get(id);
      if (broken) broken.health = 'corrupt_tail';
      return list();
    };
    const report = await collect();
    expect(report).toMatchObject({ sessions: ['sess_old'], safeMode: [{ sessionId: 'sess_new' }] });
    expect(sizes()).toEqual([2, 2, 2]);
  });
});

it('a dry run says what a run deletes, and deletes nothing', async () => {
  await session('sess_old', LONG_AGO);
  await session('sess_new', NOW);
  const [heldBefore, sizesBefore] = [held(), sizes()];
  const dry = await collect({ mode: 'dry_run' });
  expect([held(), sizes()]).toEqual([heldBefore, sizesBefore]);
  expect(await collect()).toEqual({ ...dry, mode: 'delete' });
  expect(dry.sessions).toEqual(['sess_old']);
});
