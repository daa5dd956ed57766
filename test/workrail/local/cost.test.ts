import { describe, expect, it } from '@jest/globals';
import { SessionId, type DomainEvent } from '../../../src/workrail/model';
import { type Projection } from '../../../src/workrail/ports';
import { CrashFileSystem } from './crash-file-system';
import { advance, append, birth, bornStore, note, openStore, SESSION, unwrap } from './fixtures';

const ROOT = '/data';

async function born(events: number) {
  const fs = new CrashFileSystem();
  const store = await bornStore({ root: ROOT, fs });
  for (let n = 3; n < events; n += 1) unwrap(await append(store, [note(n)]));
  return { fs, store };
}

const readBy = async (fs: CrashFileSystem, work: () => Promise<unknown>): Promise<number> => {
  fs.bytesRead = 0;
  await work();
  return fs.bytesRead;
};

const countKinds: Projection<{ seen: number }> = {
  name: 'count',
  initial: () => ({ seen: 0 }),
  apply: (state, _event: DomainEvent) => void (state.seen += 1),
};

describe('a process that knows a session', () => {
  it('reads nothing to load it again', async () => {
    const { fs, store } = await born(20);
    expect(await readBy(fs, () => store.sessions.load(SESSION))).toBe(0);
  });

  it('reads nothing to append to it, however long it is', async () => {
    const { fs, store } = await born(20);
    expect(await readBy(fs, () => append(store, [advance(1)]))).toBe(0);
  });

  it('reads only what another process has appended', async () => {
    const { fs, store } = await born(20);
    unwrap(await append(await openStore({ root: ROOT, fs }), [note('new')]));
    const record = fs.stat(`${ROOT}/sessions/${SESSION}/events/00000020-00000020.jsonl`);
    const read = await readBy(fs, () => store.sessions.load(SESSION));
    expect(read).toBeGreaterThan(record?.size ?? Number.NaN);
    expect(read).toBeLessThan(1500);
    expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(21);
  });

  it('calls a manifest that became shorter truncated', async () => {
    const { fs, store } = await born(6);
    const path = `${ROOT}/sessions/${SESSION}/manifest.jsonl`;
    const lines = Buffer.from(fs.read(path) ?? [])
      .toString()
      .trimEnd()
      .split('\n');
    const last = Buffer.byteLength(`${lines.at(-1) ?? ''}\n`);
    fs.append(path).truncate((fs.stat(path)?.size ?? 0) - last);
    const prefix = unwrap(await store.sessions.loadValidatedPrefix(SESSION));
    expect([prefix.health, prefix.reason?.code, prefix.session.eventCount]).toEqual([
      'corrupt_tail',
      'manifest_truncated',
      5,
    ]);
    // A process that knows nothing sees what a crash may leave.
    expect(unwrap(await (await openStore({ root: ROOT, fs })).sessions.load(SESSION)).eventCount).toBe(5);
  });

  it('feeds a projection each event once', async () => {
    const { store } = await born(5);
    const session = unwrap(await store.sessions.load(SESSION));
    const first = session.project(countKinds);
    unwrap(await append(store, [note('more')]));
    expect(session.project(countKinds)).toBe(first);
    expect(first.seen).toBe(6);
  });

  it('forgets the sessions it used least, and reads them again', async () => {
    const fs = new CrashFileSystem();
    const store = await bornStore({ root: ROOT, fs, maxEvents: 4 });
    const other = SessionId.parse('sess_2');
    unwrap(await append(store, [birth(other)], other));
    expect(await readBy(fs, () => store.sessions.load(other))).toBe(0);
    expect(await readBy(fs, () => store.sessions.load(SESSION))).toBeGreaterThan(0);
    expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(3);
  });
});

describe('the disk cache', () => {
  const folder = `${ROOT}/sessions/${SESSION}`;
  const cold = async (fs: CrashFileSystem) => {
    const store = await openStore({ root: ROOT, fs });
    const bytes = await readBy(fs, () => store.sessions.load(SESSION));
    return { bytes, prefix: unwrap(await store.sessions.loadValidatedPrefix(SESSION)) };
  };

  it('gives a cold start the same session', async () => {
    const { fs, store } = await born(1100);
    expect(fs.list(`${folder}/cache`)).toHaveLength(2);
    const { prefix } = await cold(fs);
    const mine = unwrap(await store.sessions.load(SESSION));
    expect(prefix.health).toBe('healthy');
    expect(prefix.session.events()).toEqual(mine.events());
    expect(prefix.session.manifest()).toEqual(mine.manifest());
    expect(prefix.session.find(note(900).events[0].dedupeKey)?.eventIndex).toBe(900);
  });

  it('covers nodes with their pins, and plans of several events', async () => {
    const { fs, store } = await born(500);
    for (let n = 1; n < 100; n += 1) unwrap(await append(store, [advance(n), note(`more_${n}`)]));
    const mine = unwrap(await store.sessions.load(SESSION));
    const fresh = await openStore({ root: ROOT, fs });
    const theirs = unwrap(await fresh.sessions.load(SESSION));
    expect(fs.list(`${folder}/cache`)).toHaveLength(1);
    expect(theirs.events()).toEqual(mine.events());
    expect(theirs.manifest()).toEqual(mine.manifest());
    unwrap(await append(fresh, [advance(100)]));
    expect(unwrap(await fresh.checkSession(SESSION)).health).toBe('healthy');
  });

  it('spares the segments it covers', async () => {
    const { fs } = await born(600);
    const opened: string[] = [];
    const read = fs.read.bind(fs);
    fs.read = (path, from, length) => {
      opened.push(path);
      return read(path, from, length);
    };
    await cold(fs);
    expect(opened.filter((path) => path.includes('/events/'))).toHaveLength(600 - 512);
  });

  it('[projection-cache-rebuildable] can be deleted, and comes back with the next append', async () => {
    const { fs } = await born(600);
    fs.remove(`${folder}/cache`);
    const store = await openStore({ root: ROOT, fs });
    expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(600);
    expect(fs.list(`${folder}/cache`)).toEqual([]);
    unwrap(await append(store, [note('again')]));
    expect(fs.list(`${folder}/cache`)).toHaveLength(1);
  });

  it.each([
    ['is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)],
    ['is empty', () => Buffer.alloc(0)],
    ['has another event', (bytes: Buffer) => Buffer.from(bytes.toString().replace('note 100', 'note 1OO'))],
    ['is of another version', (bytes: Buffer) => Buffer.from(bytes.toString().replace('"v":1', '"v":9'))],
  ])('[projection-cache-rebuildable] is not used when a chunk %s', async (_, harm) => {
    const { fs } = await born(600);
    const [name = ''] = fs.list(`${folder}/cache`);
    const bytes = Buffer.from(fs.read(`${folder}/cache/${name}`) ?? []);
    fs.create(`${folder}/cache/${name}`).write(harm(bytes));
    const { prefix } = await cold(fs);
    expect(prefix.health).toBe('healthy');
    expect(prefix.session.events(100).at(0)?.data).toMatchObject({ payload: { notesMarkdown: 'note 100' } });
  });

  it('[segment-digest-verification] does not hide a segment that differs', async () => {
    const { fs } = await born(600);
    const path = `${folder}/events/00000100-00000100.jsonl`;
    const bytes = Buffer.from(fs.read(path) ?? []);
    fs.create(path).write(Buffer.from(bytes.toString().replace('note 100', 'note 1OO')));
    const { prefix } = await cold(fs);
    expect([prefix.reason?.code, prefix.session.eventCount]).toEqual(['segment_digest_mismatch', 100]);
  });

  it('does not hide a segment that is gone, nor a manifest that lost what it had seen', async () => {
    const { fs } = await born(600);
    const lost = fs.afterKill();
    fs.remove(`${folder}/events/00000100-00000100.jsonl`);
    expect((await cold(fs)).prefix.reason?.code).toBe('segment_missing');
    const lines = Buffer.from(lost.read(`${folder}/manifest.jsonl`) ?? [])
      .toString()
      .split('\n')
      .slice(0, 301);
    lost.create(`${folder}/manifest.jsonl`).write(Buffer.from(`${lines.join('\n')}\n`));
    for (const name of lost.list(`${folder}/events`)) {
      if (Number(name.slice(0, 8)) > 301) lost.remove(`${folder}/events/${name}`);
    }
    expect((await cold(lost)).prefix.reason?.code).toBe('manifest_truncated');
    const check = unwrap(await (await openStore({ root: ROOT, fs: lost })).checkSession(SESSION));
    expect(check.reason?.code).toBe('manifest_truncated');
  });
});
