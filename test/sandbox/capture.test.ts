import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, sha256Digest } from '../../src/canonical';
import { capture } from '../../src/sandbox';
import { captured, fileAt, folderAt, place, temporary } from './places';

describe('capturing', () => {
  it('takes a file into the store', async () => {
    const here = place();
    here.write({ 'a/b.md': 'hello' });
    const path = here.at('a/b.md');
    expect(await captured(here, fileAt(path))).toEqual({
      key: 'out',
      path,
      format: 'text',
      digest: sha256Digest('hello'),
      bytes: 5,
    });
    expect(here.store.sizeOf(sha256Digest('hello'))).toBe(5);
  });

  it('takes a folder as the canonical listing of its files, in byte order', async () => {
    const here = place();
    // In UTF-16 the last two would change places.
    here.write({ 'd/b': '2', 'd/a/z': '1', 'd/a-b': '3', 'd/\u{ffee}': '4', 'd/\u{1f600}': '5' });
    const files = [
      { path: 'a-b', digest: sha256Digest('3'), bytes: 1 },
      { path: 'a/z', digest: sha256Digest('1'), bytes: 1 },
      { path: 'b', digest: sha256Digest('2'), bytes: 1 },
      { path: '\u{ffee}', digest: sha256Digest('4'), bytes: 1 },
      { path: '\u{1f600}', digest: sha256Digest('5'), bytes: 1 },
    ];
    const listing = canonicalJson({ version: 1, files })._unsafeUnwrap();
    const artifact = await captured(here, folderAt(here.at('d')));
    expect(artifact).toMatchObject({ digest: sha256Digest(listing), bytes: 5 });
    expect(here.store.sizeOf(artifact.digest)).toBe(Buffer.byteLength(listing));
  });

  it('takes an empty file', async () => {
    const here = place();
    here.write({ empty: '' });
    expect(await captured(here, fileAt(here.at('empty')))).toMatchObject({ bytes: 0 });
  });

  it('finds nothing where nothing is, where a link leads nowhere, and in folders without files', async () => {
    const here = place();
    mkdirSync(here.at('folder/inner'), { recursive: true });
    symlinkSync(here.at('nowhere'), here.at('link'));
    for (const artifact of [
      fileAt(here.at('none')),
      fileAt(here.at('none/deeper')),
      fileAt(here.at('link')),
      folderAt(here.at('folder')),
    ]) {
      const { path } = artifact;
      expect(await capture(here.store, here.workspace, artifact)).toEqual({
        kind: 'missing',
        key: 'out',
        path,
      });
    }
  });

  it('takes a link that stays inside as what it leads to', async () => {
    const here = place();
    here.write({ 'real.md': 'hello', 'd/x': 'x' });
    symlinkSync('real.md', here.at('link.md'));
    symlinkSync('../real.md', here.at('d/linked'));
    symlinkSync('d', here.at('folder'));
    expect(await captured(here, fileAt(here.at('link.md')))).toMatchObject({ digest: sha256Digest('hello') });
    const direct = await captured(here, folderAt(here.at('d')));
    expect(direct.bytes).toBe(6);
    expect((await captured(here, folderAt(here.at('folder')))).digest).toBe(direct.digest);
  });

  it('refuses links that leave the workspace, with the path and the target', async () => {
    const here = place();
    const outside = temporary();
    writeFileSync(join(outside, 'secret'), 'secret');
    here.write({ 'd/x': 'x' });
    symlinkSync(outside, here.at('parent'));
    symlinkSync(join(outside, 'secret'), here.at('file'));
    symlinkSync(join(outside, 'secret'), here.at('d/inner'));
    const cases = [
      { artifact: fileAt(here.at('file')), path: here.at('file'), target: join(outside, 'secret') },
      { artifact: fileAt(here.at('parent/secret')), path: here.at('parent/secret'), target: outside },
      { artifact: folderAt(here.at('parent')), path: here.at('parent'), target: outside },
      { artifact: folderAt(here.at('d')), path: here.at('d/inner'), target: join(outside, 'secret') },
    ];
    for (const { artifact, path, target } of cases) {
      const result = await capture(here.store, here.workspace, artifact);
      expect(result).toMatchObject({ kind: 'refused', path });
      expect(result).toHaveProperty('why', expect.stringContaining(target));
    }
    expect(here.store.sizeOf(sha256Digest('secret'))).toBeNull();
  });

  it('refuses, inside of a folder, a link to a folder, a link to nowhere and a pipe', async () => {
    const here = place();
    here.write({ 'other/x': 'x', 'a/x': 'x', 'b/x': 'x', 'c/x': 'x' });
    symlinkSync('../other', here.at('a/link'));
    symlinkSync('nowhere', here.at('b/link'));
    execFileSync('mkfifo', [here.at('c/pipe')]);
    const why = async (folder: string): Promise<unknown> => {
      const result = await capture(here.store, here.workspace, folderAt(here.at(folder)));
      return result.kind === 'refused' ? `${result.path} ${result.why}` : result;
    };
    expect(await why('a')).toBe(`${here.at('a/link')} is a link to the folder ${here.at('other')}`);
    expect(await why('b')).toBe(`${here.at('b/link')} is a link to nowhere`);
    expect(await why('c')).toBe(`${here.at('c/pipe')} is neither a file nor a folder`);
  });

  it('refuses what is not of the kind its format says', async () => {
    const here = place();
    here.write({ 'd/x': 'x', file: 'x' });
    execFileSync('mkfifo', [here.at('pipe')]);
    for (const [artifact, why] of [
      [fileAt(here.at('d')), 'is a folder, but its format is "text"'],
      [folderAt(here.at('file')), 'is no folder, but its format is "directory"'],
      [fileAt(here.at('pipe')), 'is neither a file nor a folder'],
    ] as const) {
      expect(await capture(here.store, here.workspace, artifact)).toMatchObject({ kind: 'refused', why });
    }
  });

  it('refuses a file whose name is not UTF-8', async () => {
    const here = place();
    here.write({ 'd/x': 'x' });
    writeFileSync(Buffer.concat([Buffer.from(`${here.at('d')}/`), Buffer.from([0xff, 0x61])]), 'x');
    expect(await capture(here.store, here.workspace, folderAt(here.at('d')))).toMatchObject({
      kind: 'refused',
      why: 'has a name that is not UTF-8',
    });
  });

  it('refuses a path that is not below the workspace', async () => {
    const here = place();
    for (const path of [here.at('../x'), here.at(''), '/etc/hostname']) {
      expect(await capture(here.store, here.workspace, fileAt(path))).toMatchObject({ kind: 'refused' });
    }
  });
});
