import { describe, expect, it } from '@jest/globals';
import { CrashFileSystem, type Call } from './crash-file-system';
import {
  advance,
  append,
  birth,
  bornStore,
  codeOf,
  note,
  openStore,
  SESSION,
  unwrap,
  workflow,
} from './fixtures';

const ROOT = '/data';

const born = async () => {
  const fs = new CrashFileSystem();
  return { fs, store: await bornStore({ root: ROOT, fs }) };
};

/** Calls of an append of a new snapshot; each of them can fail. */
async function calls(): Promise<number> {
  const { fs, store } = await born();
  fs.calls = [];
  unwrap(await append(store, [advance(1)]));
  return fs.calls.length;
}

describe('an append that fails once, at any of its calls', () => {
  it.each([
    ['ENOSPC', 'STORE_FULL'],
    ['EDQUOT', 'STORE_FULL'],
    ['EIO', 'STORE_IO'],
  ])('with %s is answered with %s, changes nothing, and can be tried again', async (errno, code) => {
    const count = await calls();
    for (let nth = 0; nth < count; nth += 1) {
      const { fs, store } = await born();
      fs.calls = [];
      fs.fate = (_, n) => (n === nth ? errno : null);
      const plan = advance(1);
      expect([nth, codeOf(await append(store, [plan]))]).toEqual([nth, code]);
      expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(3);
      expect(unwrap(await (await openStore({ root: ROOT, fs })).sessions.load(SESSION)).eventCount).toBe(3);
      expect(unwrap(await append(store, [plan]))[0]?.kind).toBe('appended');
      expect(unwrap(await store.checkSession(SESSION))).toMatchObject({ health: 'healthy', validEvents: 6 });
    }
  });

  it('can be tried again under the same gate', async () => {
    const { fs, store } = await born();
    const plan = note(1);
    fs.calls = [];
    fs.fate = (call) =>
      call === 'write' && fs.calls.filter((one) => one === 'write').length === 2 ? 'ENOSPC' : null;
    const answers = await store.sessions.withSession(SESSION, async (_, witness) => {
      const first = await store.sessions.append(witness, [plan]);
      expect(codeOf(first)).toBe('STORE_FULL');
      return store.sessions.append(witness, [plan]);
    });
    expect(unwrap(answers)[0]?.kind).toBe('appended');
  });
});

describe('an append whose attestation can neither be finished nor taken back', () => {
  const broken: readonly Call[] = ['write', 'truncate'];
  const fail = async () => {
    const { fs, store } = await born();
    fs.fate = (call, _, path) => (broken.includes(call) && path.endsWith('manifest.jsonl') ? 'EIO' : null);
    expect(codeOf(await append(store, [note(1)]))).toBe('STORE_IO');
    fs.fate = () => null;
    return store;
  };

  it('leaves a corrupt tail for everybody, the writer too', async () => {
    const store = await fail();
    const prefix = unwrap(await store.sessions.loadValidatedPrefix(SESSION));
    expect([prefix.health, prefix.reason?.code]).toEqual(['corrupt_tail', 'manifest_torn']);
    expect(codeOf(await append(store, [note(2)]))).toBe('SESSION_CORRUPT');
  });

  it('is set aside by repair, with a copy', async () => {
    const store = await fail();
    expect(unwrap(await store.repair(SESSION))).toMatchObject({
      kind: 'repaired',
      validEvents: 3,
      setAside: 'set-aside/1',
      files: ['manifest-tail.jsonl'],
    });
    expect(unwrap(await append(store, [note(1)]))[0]?.kind).toBe('appended');
  });

  it('closes the gate: nothing more is written under it', async () => {
    const { fs, store } = await born();
    fs.fate = (call, _, path) => (broken.includes(call) && path.endsWith('manifest.jsonl') ? 'EIO' : null);
    const second = await store.sessions.withSession(SESSION, async (_, witness) => {
      await store.sessions.append(witness, [note(1)]);
      fs.fate = () => null;
      return store.sessions.append(witness, [note(2)]);
    });
    expect(codeOf(second)).toBe('STORE_WITNESS_INVALID');
  });
});

describe('a birth that fails once, at any of its calls', () => {
  it('leaves no session or a whole one, and can be tried again', async () => {
    for (let nth = 0; ; nth += 1) {
      const fs = new CrashFileSystem();
      const store = await openStore({ root: ROOT, fs });
      unwrap(await store.workflows.put(workflow()));
      fs.calls = [];
      fs.fate = (_, n) => (n === nth ? 'ENOSPC' : null);
      const plan = birth();
      const first = await append(store, [plan]);
      if (first.isOk()) {
        expect(nth).toBeGreaterThan(8);
        return;
      }
      expect(first.error.code).toBe('STORE_FULL');
      expect(['ok', 'SESSION_NOT_FOUND']).toContain(codeOf(await store.sessions.load(SESSION)));
      unwrap(await append(store, [plan]));
      expect(unwrap(await store.checkSession(SESSION)).validEvents).toBe(3);
      expect(fs.isLocked).toBe(false);
    }
  });
});
