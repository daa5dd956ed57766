import { describe, expect, it } from '@jest/globals';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchFiles, openWorkspace } from '../../src/sandbox';
import { place, temporary, type Place } from './places';

async function match(
  here: Place,
  ...patterns: string[]
): Promise<{ files: string[]; warnings: readonly string[] }> {
  const found = (await matchFiles(here.workspace, patterns))._unsafeUnwrap();
  return { ...found, files: found.files.map((path) => path.slice(here.workspace.root.length + 1)) };
}

describe('file patterns', () => {
  it('name files, each once, in byte order', async () => {
    const here = place();
    here.write({ 'in/b.md': '', 'in/a/z.md': '', 'in/a-b.md': '', 'in/x.txt': '', 'out/y.md': '' });
    const all = ['in/a-b.md', 'in/a/z.md', 'in/b.md', 'in/x.txt'];
    expect((await match(here, `${here.workspace.root}/in/**/*`)).files).toEqual(all);
    expect((await match(here, 'in/**/*', 'in/*.md', here.at('in/**/*.md'))).files).toEqual(all);
    expect((await match(here, 'in/*.{md,txt}')).files).toEqual(['in/a-b.md', 'in/b.md', 'in/x.txt']);
    expect((await match(here, '**/?.md')).files).toEqual(['in/a/z.md', 'in/b.md', 'out/y.md']);
    expect((await match(here, 'in/x.txt', 'in/none.txt', 'none/**')).files).toEqual(['in/x.txt']);
  });

  it('do not name hidden files unless they say the dot', async () => {
    const here = place();
    here.write({ 'in/.hidden': '', 'in/.git/config': '', 'in/shown': '' });
    expect((await match(here, 'in/**/*')).files).toEqual(['in/shown']);
    expect((await match(here, 'in/.*')).files).toEqual(['in/.hidden']);
  });

  it('mean themselves where they are the name of a file', async () => {
    const here = place();
    here.write({ 'in/notes (1).md': '', 'in/[draft].md': '' });
    expect((await match(here, 'in/notes (1).md', 'in/[draft].md')).files).toEqual([
      'in/[draft].md',
      'in/notes (1).md',
    ]);
  });

  it('do not read wildcards in the path of the workspace', async () => {
    const root = join(temporary(), 'a[b]{c,d}*');
    const workspace = openWorkspace(root)._unsafeUnwrap();
    writeFileSync(join(root, 'x'), '');
    expect((await matchFiles(workspace, [`${root}/*`]))._unsafeUnwrap().files).toEqual([join(root, 'x')]);
  });

  it('leave out links that leave the workspace, and say so', async () => {
    const here = place();
    const outside = temporary();
    writeFileSync(join(outside, 'secret.md'), '');
    here.write({ 'in/a.md': '', 'more/b.md': '' });
    symlinkSync(join(outside, 'secret.md'), here.at('in/link.md'));
    symlinkSync(outside, here.at('in/folder'));
    symlinkSync('../more/b.md', here.at('in/inside.md'));
    symlinkSync(outside, here.at('box'));
    const { files, warnings } = await match(here, 'in/**/*', 'box/**/*');
    expect(files).toEqual(['in/a.md', 'in/inside.md']);
    expect(warnings).toEqual([
      `${here.at('box')} leads to ${outside}, outside of the workspace, and was left out.`,
      `${here.at('in/folder')} is a link to ${outside}, outside of the workspace and was left out.`,
      `${here.at('in/link.md')} is a link to ${join(outside, 'secret.md')}, outside of the workspace and was left out.`,
    ]);
  });

  it('cannot lead out of the workspace', async () => {
    const here = place();
    const sibling = join(here.workspace.root, '../sibling.md');
    writeFileSync(sibling, '');
    for (const pattern of ['/etc/*', '../*', 'in/../../*', '..', '']) {
      const error = (await matchFiles(here.workspace, [pattern]))._unsafeUnwrapErr();
      expect(error.code).toBe('PATH_OUTSIDE_WORKSPACE');
    }
    for (const pattern of ['{..,in}/*', '@(..)/*', '[.][.]/*', '!in/*', '*/../*']) {
      expect((await match(here, pattern)).files).toEqual([]);
    }
  });
});
