import { describe, expect, it } from '@jest/globals';
import { err, ok } from 'neverthrow';
import { SessionId } from '../../../src/workrail/model';
import { type AppendWitness } from '../../../src/workrail/ports';
import { temporary } from '../../sandbox/places';
import { CrashFileSystem } from './crash-file-system';
import { append, birth, bornStore, codeOf, note, openStore, SESSION, unwrap } from './fixtures';

const ROOT = '/data';
const OTHER = SessionId.parse('sess_other');

async function born() {
  const fs = new CrashFileSystem();
  const store = await bornStore({ root: ROOT, fs });
  fs.calls = [];
  return { fs, store, sessions: store.sessions };
}

/** A witness whose gate has closed. */
async function stale(): Promise<Awaited<ReturnType<typeof born>> & { witness: AppendWitness }> {
  const all = await born();
  const witness = unwrap(await all.sessions.withSession(SESSION, (_, one) => Promise.resolve(ok(one))));
  return { ...all, witness };
}

describe('a witness', () => {
  it('[witness-scope-enforced] is refused after its gate, before anything is done', async () => {
    const { fs, sessions, witness } = await stale();
    expect(codeOf(await sessions.append(witness, [note(1)]))).toBe('STORE_WITNESS_INVALID');
    expect(fs.calls).toEqual([]);
  });

  it('[witness-scope-enforced] stays refused while the session is locked again', async () => {
    const { fs, sessions, witness } = await stale();
    const answer = await sessions.withSession(SESSION, () => sessions.append(witness, [note(1)]));
    expect(codeOf(answer)).toBe('STORE_WITNESS_INVALID');
    expect(fs.calls).toEqual([]);
  });

  it('[witness-scope-enforced] is dead when the callback throws', async () => {
    const { sessions } = await born();
    let kept: AppendWitness | undefined;
    const thrown = sessions.withSession(SESSION, (_, witness) => {
      kept = witness;
      throw new Error('a bug');
    });
    await expect(thrown).rejects.toThrow('a bug');
    expect(kept && codeOf(await sessions.append(kept, [note(1)]))).toBe('STORE_WITNESS_INVALID');
    expect(codeOf(await sessions.withSession(SESSION, (_, one) => sessions.append(one, [note(1)])))).toBe(
      'ok',
    );
  });

  it('[witness-required-for-append] cannot be forged, not even by a copy of one', async () => {
    const { fs, sessions } = await born();
    const codes = await sessions.withSession(SESSION, async (_, witness) => {
      const forged = [
        { ...witness },
        Object.create(witness) as AppendWitness,
        { sessionId: SESSION } as AppendWitness,
      ];
      return ok(await Promise.all(forged.map(async (one) => codeOf(await sessions.append(one, [note(1)])))));
    });
    expect(unwrap(codes)).toEqual(Array(3).fill('STORE_WITNESS_INVALID'));
    expect(fs.calls).toEqual([]);
  });

  it('of another store is none', async () => {
    const { fs, sessions } = await born();
    const other = await openStore({ root: ROOT, fs });
    fs.calls = [];
    const answer = await sessions.withSession(SESSION, (_, witness) =>
      other.sessions.append(witness, [note(1)]),
    );
    expect(codeOf(answer)).toBe('STORE_WITNESS_INVALID');
  });

  it('appends to its own session only: plans of another are not valid', async () => {
    const { sessions } = await born();
    const answer = await sessions.withSession(SESSION, (_, witness) =>
      sessions.append(witness, [birth(OTHER)]),
    );
    expect(codeOf(answer)).toBe('STORE_PLAN_INVALID');
  });

  it('that is used twice at once appends one after the other', async () => {
    const { store, sessions } = await born();
    await sessions.withSession(SESSION, async (_, witness) => {
      const all = [1, 2, 3].map((n) => sessions.append(witness, [note(n)]));
      return ok((await Promise.all(all)).map(unwrap));
    });
    expect(unwrap(await store.checkSession(SESSION))).toMatchObject({ health: 'healthy', validEvents: 6 });
  });

  it('whose append was not waited for keeps the lock until it has ended', async () => {
    const { fs, store, sessions } = await born();
    let late: Promise<unknown> = Promise.resolve();
    await sessions.withSession(SESSION, (_, witness) => {
      late = sessions.append(witness, [note(1)]);
      return Promise.resolve(ok(null));
    });
    expect(fs.isLocked).toBe(false);
    await late;
    expect(unwrap(await store.checkSession(SESSION)).health).toBe('healthy');
  });
});

describe('the gate of a session', () => {
  it('[single-writer-per-session] says so when somebody else keeps the lock, with advice to retry', async () => {
    const { fs, sessions } = await born();
    const lock = fs.lock(`${ROOT}/sessions/${SESSION}/.lock`);
    const answer = await sessions.withSession(SESSION, () => Promise.resolve(ok(null)));
    expect(answer.isErr() && answer.error).toMatchObject({
      code: 'SESSION_LOCKED',
      retry: { kind: 'retryable_after_ms' },
    });
    if (typeof lock !== 'string') lock.release();
    expect(codeOf(await sessions.withSession(SESSION, () => Promise.resolve(ok(null))))).toBe('ok');
  });

  it('is entered in the order of asking, within a process', async () => {
    const { sessions } = await born();
    const order: number[] = [];
    const all = [0, 1, 2, 3].map((n) =>
      sessions.withSession(SESSION, async () => {
        await Promise.resolve();
        order.push(n);
        return ok(null);
      }),
    );
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('is refused to whoever asks for it inside itself', async () => {
    const { sessions } = await born();
    const inner = await sessions.withSession(SESSION, () =>
      sessions.withSession(SESSION, () => Promise.resolve(ok(null))),
    );
    expect(codeOf(inner)).toBe('STORE_INVARIANT_VIOLATION');
  });

  it('is given back when the work answers with an error', async () => {
    const { fs, sessions } = await born();
    expect(codeOf(await sessions.withSession(SESSION, () => Promise.resolve(err({ code: 'MINE' }))))).toBe(
      'MINE',
    );
    expect(fs.isLocked).toBe(false);
  });

  it('shows a session that does not exist as an empty one, and makes nothing for it', async () => {
    const { fs, store, sessions } = await born();
    const count = await sessions.withSession(OTHER, ({ eventCount }) => Promise.resolve(ok(eventCount)));
    expect([unwrap(count), fs.calls]).toEqual([0, []]);
    expect(codeOf(await store.sessions.load(OTHER))).toBe('SESSION_NOT_FOUND');
  });
});

describe('a birth', () => {
  it('goes on under the gate that began it', async () => {
    const { store, sessions } = await born();
    const counts = await sessions.withSession(OTHER, async (session, witness) => {
      unwrap(await sessions.append(witness, [birth(OTHER)]));
      const [born, loaded] = [session.eventCount, unwrap(await sessions.load(OTHER)).eventCount];
      unwrap(await sessions.append(witness, [note(1, OTHER)]));
      return ok([born, loaded, session.eventCount]);
    });
    expect(unwrap(counts)).toEqual([3, 3, 4]);
    expect(unwrap(await store.checkSession(OTHER)).health).toBe('healthy');
  });

  it.each([[true], [false]])('that comes second appends to the first (the same plan: %s)', async (same) => {
    const { fs, store, sessions } = await born();
    const other = await openStore({ root: ROOT, fs });
    const plan = birth(OTHER);
    const answer = await sessions.withSession(OTHER, async (_, witness) => {
      fs.alias(ROOT, 'elsewhere');
      const elsewhere = await openStore({ root: '/elsewhere', fs });
      unwrap(await append(elsewhere, [plan], OTHER));
      return sessions.append(witness, same ? [plan] : [plan, note(1, OTHER)]);
    });
    expect(unwrap(answer).map(({ kind }) => kind)).toEqual(
      same ? ['already_there'] : ['already_there', 'appended'],
    );
    expect(unwrap(await other.sessions.load(OTHER)).eventCount).toBe(same ? 3 : 4);
    expect(unwrap(await store.checkStore())).toMatchObject({ unborn: 0 });
    expect(fs.isLocked).toBe(false);
  });
});

describe('what is left of a birth that came to nothing', () => {
  it('is removed by the next process that gives birth, unless somebody is at it', async () => {
    const { fs } = await born();
    for (const name of ['.new-dead', '.new-alive']) fs.makeFolder(`${ROOT}/sessions/${name}/events`);
    fs.lock(`${ROOT}/sessions/.new-dead/.lock`, 'existing');
    const lock = fs.lock(`${ROOT}/sessions/.new-alive/.lock`);
    unwrap(await append(await openStore({ root: ROOT, fs }), [birth(OTHER)], OTHER));
    expect([...fs.list(`${ROOT}/sessions`)].sort()).toEqual(['.new-alive', OTHER, SESSION]);
    if (typeof lock !== 'string') lock.release();
  });
});

describe('a reader', () => {
  it('[rehydrate-pure-no-writes] changes nothing on the disk', async () => {
    const fs = new CrashFileSystem();
    const store = await bornStore({ root: ROOT, fs });
    unwrap(
      await append(
        store,
        Array.from({ length: 600 }, (_, n) => note(n)),
      ),
    );
    // So that there is a cache to be made, if reading made any.
    fs.remove(`${ROOT}/sessions/${SESSION}/cache`);
    fs.calls = [];
    const fresh = await openStore({ root: ROOT, fs });
    unwrap(await fresh.sessions.load(SESSION));
    unwrap(await fresh.sessions.loadValidatedPrefix(SESSION));
    unwrap(await fresh.checkStore());
    expect(fs.calls).toEqual([]);
  });

  it('[replay-fact-returning] finds a recorded fact while somebody else holds the lock', async () => {
    const { fs, store } = await born();
    const plan = note(1);
    unwrap(await append(store, [plan]));
    const lock = fs.lock(`${ROOT}/sessions/${SESSION}/.lock`);
    const fresh = await openStore({ root: ROOT, fs });
    const found = unwrap(await fresh.sessions.load(SESSION)).find(plan.events[0].dedupeKey);
    expect(found?.data).toEqual(plan.events[0].data);
    if (typeof lock !== 'string') lock.release();
  });

  it('waits for an append that another process has half written', async () => {
    const root = temporary();
    const writer = await bornStore({ root });
    const reader = await openStore({ root });
    const results = await Promise.all([
      ...Array.from({ length: 40 }, (_, n) => append(writer, [note(n)])),
      ...Array.from({ length: 40 }, () => reader.sessions.load(SESSION)),
    ]);
    expect(results.map(codeOf)).toEqual(Array(80).fill('ok'));
    expect(unwrap(await reader.sessions.load(SESSION)).eventCount).toBe(43);
  });
});
