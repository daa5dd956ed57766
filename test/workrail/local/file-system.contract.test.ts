import { describe, expect, it } from '@jest/globals';
import { type FileSystem, nodeFileSystem } from '../../../src/workrail/local';
import { temporary } from '../../sandbox/places';
import { CrashFileSystem } from './crash-file-system';

const ADAPTERS: readonly (readonly [string, () => { fs: FileSystem; root: string }])[] = [
  ['the real one', () => ({ fs: nodeFileSystem, root: temporary() })],
  [
    'the one that crashes',
    () => {
      const fs = new CrashFileSystem();
      fs.makeFolder('/root');
      return { fs, root: '/root' };
    },
  ],
];

const write = (fs: FileSystem, path: string, text: string): void => {
  const file = fs.create(path);
  file.write(Buffer.from(text));
  file.close();
};
const text = (fs: FileSystem, path: string, from?: number, length?: number): string | null => {
  const bytes = fs.read(path, from, length);
  return bytes && Buffer.from(bytes).toString();
};
const code = (work: () => unknown): unknown => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe.each(ADAPTERS)('a file system (%s)', (_, make) => {
  it('reads back what was written, whole and in part', () => {
    const { fs, root } = make();
    write(fs, `${root}/a`, 'hello world');
    expect(text(fs, `${root}/a`)).toBe('hello world');
    expect(text(fs, `${root}/a`, 6)).toBe('world');
    expect(text(fs, `${root}/a`, 4, 3)).toBe('o w');
    expect(text(fs, `${root}/a`, 50)).toBe('');
  });

  it('knows what is not there', () => {
    const { fs, root } = make();
    expect([fs.stat(`${root}/a`), fs.read(`${root}/a`), fs.list(`${root}/a`)]).toEqual([null, null, []]);
    expect(fs.read(root)).toBeNull();
    expect(code(() => fs.append(`${root}/a`))).toBe('ENOENT');
    expect(code(() => fs.create(`${root}/b/c`))).toBe('ENOENT');
    expect(code(() => fs.remove(`${root}/a`))).toBe('ok');
  });

  it('tells files from folders, with their sizes', () => {
    const { fs, root } = make();
    fs.makeFolder(`${root}/x/y`);
    fs.makeFolder(`${root}/x/y`);
    write(fs, `${root}/x/f`, 'four');
    expect(fs.stat(`${root}/x/y`)?.kind).toBe('folder');
    expect(fs.stat(`${root}/x/f`)).toMatchObject({ kind: 'file', size: 4 });
    expect([...fs.list(`${root}/x`)].sort()).toEqual(['f', 'y']);
  });

  it('appends at the end, and cuts', () => {
    const { fs, root } = make();
    write(fs, `${root}/a`, 'one');
    const file = fs.append(`${root}/a`);
    file.write(Buffer.from('two'));
    file.truncate(4);
    file.write(Buffer.from('!'));
    file.close();
    expect(text(fs, `${root}/a`)).toBe('onet!');
  });

  it('empties a file that is created anew', () => {
    const { fs, root } = make();
    write(fs, `${root}/a`, 'long');
    write(fs, `${root}/a`, 'b');
    expect(text(fs, `${root}/a`)).toBe('b');
  });

  it('renames a file over another, which takes its inode', () => {
    const { fs, root } = make();
    write(fs, `${root}/a`, 'new');
    write(fs, `${root}/b`, 'old');
    const ino = fs.stat(`${root}/a`)?.ino;
    fs.rename(`${root}/a`, `${root}/b`);
    expect([text(fs, `${root}/b`), fs.stat(`${root}/b`)?.ino, fs.stat(`${root}/a`)]).toEqual([
      'new',
      ino,
      null,
    ]);
  });

  it('renames no folder over one that has something in it', () => {
    const { fs, root } = make();
    fs.makeFolder(`${root}/a`);
    fs.makeFolder(`${root}/b`);
    write(fs, `${root}/b/f`, '');
    expect(['ENOTEMPTY', 'EEXIST']).toContain(code(() => fs.rename(`${root}/a`, `${root}/b`)));
    fs.rename(`${root}/b`, `${root}/c`);
    expect(text(fs, `${root}/c/f`)).toBe('');
  });

  it('removes a folder with all in it', () => {
    const { fs, root } = make();
    fs.makeFolder(`${root}/a/b`);
    write(fs, `${root}/a/b/c`, '');
    fs.remove(`${root}/a`);
    expect(fs.stat(`${root}/a`)).toBeNull();
  });

  it('syncs files and folders', async () => {
    const { fs, root } = make();
    const file = fs.create(`${root}/a`);
    await file.sync();
    file.close();
    await fs.syncFolder(root);
    await expect(Promise.resolve().then(() => fs.syncFolder(`${root}/none`))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('gives a lock to one at a time, also after a rename of its folder', () => {
    const { fs, root } = make();
    fs.makeFolder(`${root}/a`);
    expect(fs.lock(`${root}/a/.lock`, 'existing')).toBe('missing');
    const lock = fs.lock(`${root}/a/.lock`);
    expect(fs.lock(`${root}/a/.lock`)).toBe('busy');
    fs.rename(`${root}/a`, `${root}/b`);
    expect(fs.lock(`${root}/b/.lock`, 'existing')).toBe('busy');
    if (typeof lock !== 'string') lock.release();
    const again = fs.lock(`${root}/b/.lock`, 'existing');
    expect(typeof again).toBe('object');
    if (typeof again !== 'string') again.release();
  });
});
