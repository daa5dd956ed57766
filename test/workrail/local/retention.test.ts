import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tryLock } from 'fs-native-extensions';
import { FolderShelf, KeepListFile, LocalSessionShelf } from '../../../src/workrail/local';
import { sessionId } from '../sessions';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'railyard-retention-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string, atMs?: number): void {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  if (atMs !== undefined) utimesSync(full, atMs / 1000, atMs / 1000);
}

describe('the keep list', () => {
  const read = () => new KeepListFile(root).read();

  it('keeps nothing where there is no file', async () => {
    expect((await read())._unsafeUnwrap().size).toBe(0);
  });

  it('keeps the sessions it names', async () => {
    put('retention.json', '{"version":1,"keep":["sess_one","sess_two"]}');
    expect([...(await read())._unsafeUnwrap()]).toEqual(['sess_one', 'sess_two']);
  });

  it.each([
    '',
    '{"version":1,"keep":["sess_one"',
    '{"version":2,"keep":[]}',
    '{"version":1,"keep":["../up"]}',
  ])('is CONFIG_INVALID when it reads %s', async (text) => {
    put('retention.json', text);
    expect((await read())._unsafeUnwrapErr().code).toBe('CONFIG_INVALID');
  });
});

describe('a folder of content', () => {
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
  const shelf = () => new FolderShelf(join(root, 'content'));

  it('lists what is named by a digest, at any depth, and nothing else', async () => {
    put(`content/${one}.json`, 'abc', 5000);
    put(`content/sha256/22/${two}`, 'de', 7000);
    put('content/.1234.tmp', 'unfinished');
    const listed = (await shelf().list())._unsafeUnwrap();
    expect([...listed].sort((a, b) => a.touchedMs - b.touchedMs)).toEqual([
      { digest: `sha256:${one}`, bytes: 3, touchedMs: 5000 },
      { digest: `sha256:${two}`, bytes: 2, touchedMs: 7000 },
    ]);
  });

  it('is empty where there is no folder', async () => {
    expect((await shelf().list())._unsafeUnwrap()).toEqual([]);
  });

  it('removes what is old, and leaves what was touched since', async () => {
    put(`content/${one}.json`, 'abc', 5000);
    put(`content/${two}.json`, 'abc', 5000);
    const content = shelf();
    await content.list();
    utimesSync(join(root, 'content', `${two}.json`), 9, 9);
    expect((await content.remove(`sha256:${one}`, 8000))._unsafeUnwrap()).toBe(true);
    expect((await content.remove(`sha256:${two}`, 8000))._unsafeUnwrap()).toBe(false);
    expect(readdirSync(join(root, 'content'))).toEqual([`${two}.json`]);
  });
});

describe('a removal of content that a crash cut off', () => {
  it('is undone by the next look', async () => {
    const name = `${'3'.repeat(64)}.json`;
    put(`content/.going-${name}`, 'abc');
    await new FolderShelf(join(root, 'content')).list();
    expect(readdirSync(join(root, 'content'))).toEqual([name]);
  });
});

describe('a session on disk', () => {
  const segment = JSON.stringify({
    v: 1,
    manifestIndex: 0,
    sessionId: 'sess_one',
    kind: 'segment_closed',
    firstEventIndex: 0,
    lastEventIndex: 4,
    segmentRelPath: 'events/00000000-00000004.jsonl',
    sha256: `sha256:${'a'.repeat(64)}`,
    bytes: 1,
  });
  beforeEach(() => {
    put('sessions/sess_one/manifest.jsonl', `${segment}\n`, 5000);
    put('sessions/sess_one/events/00000000-00000004.jsonl', '{}');
  });
  const shelf = () => new LocalSessionShelf(root);

  it('was touched when its manifest was', async () => {
    expect((await shelf().touchedMs(sessionId()))._unsafeUnwrap()).toBe(5000);
  });

  it('is taken away whole', async () => {
    expect((await shelf().remove(sessionId(), 5)).isOk()).toBe(true);
    expect(readdirSync(join(root, 'sessions'))).toEqual([]);
  });

  it('stays where it has grown since it was looked at', async () => {
    expect((await shelf().remove(sessionId(), 4))._unsafeUnwrapErr().code).toBe('SESSION_EXISTS');
    expect(readdirSync(join(root, 'sessions'))).toEqual(['sess_one']);
  });

  it('stays while somebody holds its lock', async () => {
    const lock = await open(join(root, 'sessions/sess_one/.lock'), 'a');
    expect(tryLock(lock.fd)).toBe(true);
    expect((await shelf().remove(sessionId(), 5))._unsafeUnwrapErr().code).toBe('SESSION_LOCKED');
    await lock.close();
    expect((await shelf().remove(sessionId(), 5)).isOk()).toBe(true);
  });

  it('is SESSION_NOT_FOUND where there is none', async () => {
    expect((await shelf().remove(sessionId('sess_two'), 1))._unsafeUnwrapErr().code).toBe(
      'SESSION_NOT_FOUND',
    );
  });

  it('takes the rest of an earlier removal with it', async () => {
    put('sessions/.gone-1/events/x.jsonl', '');
    await shelf().remove(sessionId(), 5);
    expect(readdirSync(join(root, 'sessions'))).toEqual([]);
  });
});
