import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { sha256Digest } from '../../src/canonical';
import { ContentStore } from '../../src/sandbox';
import { filesIn, temporary } from './places';

const blobPath = (root: string, digest: string): string => {
  const hex = digest.slice('sha256:'.length);
  return join(root, 'sha256', hex.slice(0, 2), hex);
};

describe('the content store', () => {
  it('keeps bytes under their digest, and nothing else', async () => {
    const root = temporary();
    const stored = await new ContentStore(root).putBytes('hello');
    expect(stored).toEqual({ digest: sha256Digest('hello'), bytes: 5 });
    expect(filesIn(root)).toEqual({ [blobPath(root, stored.digest).slice(root.length + 1)]: 'hello' });
  });

  it('does not write what it has', async () => {
    const root = temporary();
    const store = new ContentStore(root);
    const { digest } = await store.putBytes('hello');
    const before = statSync(blobPath(root, digest));
    writeFileSync(join(root, 'file'), 'hello');
    expect(await store.putFile(join(root, 'file'))).toEqual({ digest, bytes: 5 });
    await store.putBytes(Buffer.from('hello'));
    // A blob that is written is a new file with that name.
    expect(statSync(blobPath(root, digest)).ino).toBe(before.ino);
  });

  it('touches what it has, so that garbage collection sees it is wanted', async () => {
    const root = temporary();
    const store = new ContentStore(root);
    const { digest } = await store.putBytes('hello');
    utimesSync(blobPath(root, digest), 1, 1);
    await store.putBytes('hello');
    expect(statSync(blobPath(root, digest)).mtimeMs).toBeGreaterThan(1000);
  });

  it('takes the same bytes from many at once', async () => {
    const root = temporary();
    const stores = Array.from({ length: 8 }, () => new ContentStore(root));
    const stored = await Promise.all(stores.map((store) => store.putBytes('same')));
    expect(new Set(stored.map(({ digest }) => digest)).size).toBe(1);
    expect(Object.values(filesIn(root))).toEqual(['same']);
  });

  it('takes a large file without holding it in memory', async () => {
    const root = temporary();
    const path = join(root, 'large');
    const piece = Buffer.alloc(1 << 20, 'railyard');
    const hash = createHash('sha256');
    const fd = openSync(path, 'w');
    for (let i = 0; i < 192; i += 1) {
      writeSync(fd, piece);
      hash.update(piece);
    }
    const store = new ContentStore(join(root, 'store'));
    let peak = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss - before)), 5);
    const stored = await store.putFile(path);
    clearInterval(watch);
    expect(stored).toEqual({ digest: `sha256:${hash.digest('hex')}`, bytes: 192 << 20 });
    expect(peak).toBeLessThan(128 << 20);
    expect((await store.verify(stored.digest))._unsafeUnwrap()).toEqual(stored);
  });

  it('reads back what it keeps', async () => {
    const store = new ContentStore(temporary());
    const { digest } = await store.putBytes('schön');
    const { bytes, stream } = (await store.read(digest))._unsafeUnwrap();
    expect([bytes, await text(stream)]).toEqual([6, 'schön']);
    expect(store.sizeOf(digest)).toBe(6);
  });

  it.each([sha256Digest('never stored'), 'sha256:../../../etc/passwd', 'nonsense', ''])(
    'says that it has no %j',
    async (digest) => {
      const root = temporary();
      const store = new ContentStore(root);
      await store.putBytes('something');
      expect(store.sizeOf(digest)).toBeNull();
      for (const result of [
        await store.read(digest),
        await store.verify(digest),
        await store.copyTo(digest, join(root, 'copy')),
      ]) {
        expect(result._unsafeUnwrapErr().message).toContain('not in the artifact store');
      }
    },
  );

  it('notices a damaged blob when it copies or verifies one', async () => {
    const root = temporary();
    const store = new ContentStore(root);
    const { digest } = await store.putBytes('hello');
    chmodSync(blobPath(root, digest), 0o644);
    writeFileSync(blobPath(root, digest), 'jello');
    expect((await store.verify(digest))._unsafeUnwrapErr().message).toContain('damaged');
    expect((await store.copyTo(digest, join(root, 'copy')))._unsafeUnwrapErr().message).toContain('damaged');
  });

  it('mends a blob that was cut short, when its bytes come again', async () => {
    const root = temporary();
    const store = new ContentStore(root);
    const { digest } = await store.putBytes('hello');
    chmodSync(blobPath(root, digest), 0o644);
    writeFileSync(blobPath(root, digest), 'hel');
    await store.putBytes('hello');
    expect(readFileSync(blobPath(root, digest), 'utf8')).toBe('hello');
  });

  it('follows no link that was put in the place of a file', async () => {
    const root = temporary();
    writeFileSync(join(root, 'file'), 'secret');
    symlinkSync(join(root, 'file'), join(root, 'link'));
    const store = new ContentStore(join(root, 'store'));
    await expect(store.putFile(join(root, 'link'))).rejects.toThrow('ELOOP');
  });
});
