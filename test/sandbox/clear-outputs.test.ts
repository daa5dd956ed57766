import { describe, expect, it } from '@jest/globals';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearOutputs } from '../../src/sandbox';
import { filesIn, place, temporary } from './places';

describe('clearing outputs', () => {
  it('removes files and folders at the declared paths, and nothing else', async () => {
    const here = place();
    here.write({ 'out.md': 'stale', 'out/a': 'stale', 'out/b/c': 'stale', 'other.md': 'kept' });
    const paths = [here.at('out.md'), here.at('out'), here.at('never/was')];
    (await clearOutputs(here.workspace, paths))._unsafeUnwrap();
    expect(filesIn(here.workspace.root)).toEqual({ 'other.md': 'kept' });
  });

  it('removes a link, never what it leads to', async () => {
    const here = place();
    const outside = temporary();
    writeFileSync(join(outside, 'theirs'), 'kept');
    here.write({ 'mine/x': 'kept' });
    symlinkSync(outside, here.at('a'));
    symlinkSync(join(outside, 'theirs'), here.at('b'));
    symlinkSync('mine', here.at('c'));
    (await clearOutputs(here.workspace, ['a', 'b', 'c'].map(here.at)))._unsafeUnwrap();
    expect(filesIn(outside)).toEqual({ theirs: 'kept' });
    expect(filesIn(here.workspace.root)).toEqual({ 'mine/x': 'kept' });
  });

  it('goes through no link that leaves the workspace, and then touches nothing at all', async () => {
    const here = place();
    const outside = temporary();
    writeFileSync(join(outside, 'theirs'), 'kept');
    here.write({ stale: 'kept, since the whole call is refused' });
    symlinkSync(outside, here.at('link'));
    const error = (
      await clearOutputs(here.workspace, [here.at('stale'), here.at('link/theirs')])
    )._unsafeUnwrapErr();
    expect(error.code).toBe('PATH_OUTSIDE_WORKSPACE');
    expect(error.message).toContain(outside);
    expect(filesIn(outside)).toEqual({ theirs: 'kept' });
    expect(here.read('stale')).toContain('kept');
  });

  it.each(['', '.', '..', '../sibling', 'a/../..', '/'])('refuses %j', async (path) => {
    const here = place();
    here.write({ x: 'kept' });
    const error = (await clearOutputs(here.workspace, [`${here.workspace.root}/${path}`]))._unsafeUnwrapErr();
    expect(error.code).toBe('PATH_OUTSIDE_WORKSPACE');
    expect(here.read('x')).toBe('kept');
  });
});
