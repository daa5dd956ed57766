import { describe, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Digest } from '../../src/canonical';
import { ContentStore, listingText, materialise } from '../../src/sandbox';
import { captured, fileAt, filesIn, folderAt, place, temporary, type Place } from './places';

const FILES = { 'd/a': '1', 'd/sub/b': '2', 'd/.hidden': '3' };

/** A place with a captured file `f` and a captured folder `d`. */
async function filled() {
  const here = place();
  here.write({ f: 'hello', ...FILES });
  const file = await captured(here, fileAt(here.at('f')));
  const folder = await captured(here, folderAt(here.at('d')));
  const restore = async (): Promise<void> => {
    for (const one of [file, folder]) (await materialise(here.store, here.workspace, one))._unsafeUnwrap();
  };
  return { ...here, file, folder, restore };
}

const contents = ({ workspace }: Place): Record<string, string> => filesIn(workspace.root);

describe('materialising', () => {
  it.each<[string, (here: Place) => void]>([
    ['is gone', ({ at }) => ['f', 'd'].forEach((path) => rmSync(at(path), { recursive: true }))],
    ['was changed', ({ write }) => write({ f: 'jello', 'd/a': 'x' })],
    ['lacks a file', ({ at }) => rmSync(at('d/a'))],
    ['has a file too many', ({ write }) => write({ 'd/more': 'x', 'd/deep/er': 'x' })],
    [
      'is a folder for a file, and a file for a folder',
      ({ at, write }) => {
        rmSync(at('f'));
        rmSync(at('d'), { recursive: true });
        write({ 'f/x': 'x', d: 'x' });
      },
    ],
    [
      'has a folder where a file was',
      ({ at, write }) => {
        rmSync(at('d/a'));
        write({ 'd/a/x': 'x' });
      },
    ],
  ])('puts back what %s', async (_how, damage) => {
    const here = await filled();
    damage(here);
    await here.restore();
    expect(contents(here)).toEqual({ f: 'hello', ...FILES });
  });

  it('writes nothing where the right bytes are', async () => {
    const here = await filled();
    const inodes = (): number[] => ['f', 'd', 'd/a', 'd/sub/b'].map((path) => statSync(here.at(path)).ino);
    const before = inodes();
    await here.restore();
    expect(inodes()).toEqual(before);
  });

  it('replaces links, and leaves what they lead to alone', async () => {
    const here = await filled();
    const outside = temporary();
    writeFileSync(join(outside, 'a'), 'theirs');
    rmSync(here.at('f'));
    rmSync(here.at('d'), { recursive: true });
    symlinkSync(join(outside, 'a'), here.at('f'));
    symlinkSync(outside, here.at('d'));
    await here.restore();
    expect(contents(here)).toEqual({ f: 'hello', ...FILES });
    expect(filesIn(outside)).toEqual({ a: 'theirs' });
  });

  it('refuses to go through a link that leaves the workspace, or leads nowhere', async () => {
    const here = place();
    const outside = temporary();
    here.write({ 'p/f': 'hello' });
    const artifact = await captured(here, fileAt(here.at('p/f')));
    for (const target of [outside, join(outside, 'none')]) {
      rmSync(here.at('p'), { recursive: true, force: true });
      symlinkSync(target, here.at('p'));
      const error = (await materialise(here.store, here.workspace, artifact))._unsafeUnwrapErr();
      expect(error.code).toBe('PATH_OUTSIDE_WORKSPACE');
      expect(error.message).toContain(here.at('p'));
    }
    expect(filesIn(outside)).toEqual({});
  });

  it('says what is wrong where a file stands in the place of a parent folder', async () => {
    const here = place();
    here.write({ 'p/f': 'hello' });
    const artifact = await captured(here, fileAt(here.at('p/f')));
    rmSync(here.at('p'), { recursive: true });
    here.write({ p: 'a file' });
    const error = (await materialise(here.store, here.workspace, artifact))._unsafeUnwrapErr();
    expect(error.message).toContain(`${here.at('p')} is a file`);
  });

  it('goes through a link that stays inside', async () => {
    const here = place();
    here.write({ 'p/f': 'hello' });
    const artifact = await captured(here, fileAt(here.at('p/f')));
    rmSync(here.at('p'), { recursive: true });
    mkdirSync(here.at('q'));
    symlinkSync('q', here.at('p'));
    (await materialise(here.store, here.workspace, artifact))._unsafeUnwrap();
    expect(here.read('q/f')).toBe('hello');
  });

  it('leaves the workspace as it was when a blob is missing', async () => {
    const here = await filled();
    here.write({ f: 'changed', 'd/a': 'changed' });
    const empty = new ContentStore(temporary());
    for (const artifact of [here.file, here.folder]) {
      const error = (await materialise(empty, here.workspace, artifact))._unsafeUnwrapErr();
      expect(error.message).toContain(artifact.digest);
    }
    expect(contents(here)).toEqual({ ...FILES, f: 'changed', 'd/a': 'changed' });
  });

  it('needs no blob where the right bytes are', async () => {
    const here = await filled();
    const empty = new ContentStore(temporary());
    expect((await materialise(empty, here.workspace, here.folder)).isOk()).toBe(true);
  });

  it('lets many do it at once, and each finds everything in place when it is done', async () => {
    const here = await filled();
    here.write({ f: 'x', 'd/a': 'x', 'd/z': 'x' });
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => here.restore().then(() => contents(here))),
    );
    for (const found of seen) expect(found).toEqual({ f: 'hello', ...FILES });
  });

  it.each(['../escaped', '/escaped', 'a/../../escaped', 'a//b', '.', ''])(
    'writes nothing from a listing that names %j',
    async (path) => {
      const here = place();
      const { digest, bytes } = await here.store.putBytes('x');
      const listing = await here.store.putBytes(listingText([{ path, digest, bytes }]));
      const artifact = { ...folderAt(here.at('d')), ...listing };
      const error = (await materialise(here.store, here.workspace, artifact))._unsafeUnwrapErr();
      expect(error.message).toContain('not the listing of a directory');
      expect(readdirSync(here.workspace.root)).toEqual([]);
    },
  );

  it('refuses a file as the listing of a folder', async () => {
    const here = place();
    const artifact = { ...folderAt(here.at('d')), ...(await here.store.putBytes('no listing')) };
    expect((await materialise(here.store, here.workspace, artifact)).isErr()).toBe(true);
    expect(sha256Digest('no listing')).toBe(artifact.digest);
  });
});
