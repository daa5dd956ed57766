import { describe, expect, it } from '@jest/globals';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { checkPaths, clearOutputs, isInside, openWorkspace, pathInside } from '../../src/sandbox';
import { locate } from '../../src/sandbox/workspace';
import { block, compiled, template } from '../factory/compile/templates';
import { filesIn, place, temporary } from './places';

describe('a workspace', () => {
  it('is made where it is not there, and known by its real path', () => {
    const root = temporary();
    symlinkSync(root, join(root, 'link'));
    const workspace = openWorkspace(join(root, 'link', 'a', '..', 'b', ''))._unsafeUnwrap();
    expect(workspace).toEqual({ root: join(root, 'link/b'), real: join(root, 'b') });
  });

  it.each(['relative/path', '', '/', '/a/..', '/a\0b'])('cannot be %j', (path) => {
    expect(openWorkspace(path)._unsafeUnwrapErr().code).toBe('INPUT_INVALID');
  });
});

describe('a path of a block', () => {
  /** Names that make trouble, as a parameter might. */
  const step = fc.constantFrom('..', '.', '', 'a', 'b', 'up', 'out', 'self', 'dead', ' ', '~', '%2e%2e', '…');
  const path = fc.array(step, { maxLength: 8 }).map((steps) => steps.join('/'));

  it('is below the workspace, or refused', () => {
    fc.assert(
      fc.property(path, fc.constantFrom('', '/', '/w/s/', '/w/', '/w/s'), (tail, start) => {
        const result = pathInside('/w/s', start + tail);
        if (result.isOk()) expect(result.value).toMatch(/^\/w\/s\/./);
        else expect(result.error.code).toBe('PATH_OUTSIDE_WORKSPACE');
      }),
    );
  });

  it('never leads out through links, wherever they point', async () => {
    const here = place();
    const outside = temporary();
    writeFileSync(join(outside, 'a'), 'theirs');
    here.write({ 'a/b/x': '', 'b/x': '' });
    for (const [name, target] of [
      ['up', '..'],
      ['out', outside],
      ['self', '.'],
      ['dead', join(outside, 'none')],
      ['a/out', outside],
      ['a/up', '..'],
      ['b/up', '../..'],
    ] as const) {
      symlinkSync(target, here.at(name));
    }
    await fc.assert(
      fc.asyncProperty(path, async (tail) => {
        const inside = pathInside(here.workspace.root, tail);
        if (inside.isErr()) return;
        const place = locate(here.workspace, inside.value);
        if (place.isErr()) return;
        expect(isInside(here.workspace, place.value)).toBe(true);
        expect(relative(here.workspace.real, place.value)).not.toBe('');
        // Its parents are real: nothing on the way to it leads elsewhere.
        await clearOutputs(here.workspace, [`${inside.value}/leaf`]);
        expect(filesIn(outside)).toEqual({ a: 'theirs' });
      }),
      { numRuns: 300 },
    );
  });
});

describe('checking the paths of a run', () => {
  const at = (path: string) => ({ outputs: { artifacts: [{ key: 'out', path, format: 'text' }] } });
  const check = (blocks: Parameters<typeof template>[0], parameters: Record<string, string>) =>
    checkPaths(compiled(template(blocks)).compiled, parameters, { workspacePath: '/w', run: 'r' });

  it('accepts paths that parameters leave apart and inside', () => {
    const blocks = [block('a', [], at('{{workspace}}/{{x}}/out')), block('b', [], at('{{y}}/out'))];
    expect(check(blocks, { x: 'one', y: '/two' }).isOk()).toBe(true);
  });

  it('refuses what a parameter leads out of the workspace', () => {
    const output = [block('a', [], at('{{workspace}}/{{x}}'))];
    const input = [block('a', [], { inputs: { files: ['{{x}}/*'] } })];
    for (const x of ['..', '../v', 'a/../../v']) {
      for (const blocks of [output, input]) {
        expect(check(blocks, { x })._unsafeUnwrapErr().code).toBe('PATH_OUTSIDE_WORKSPACE');
      }
    }
    expect(check(input, { x: '/etc' })._unsafeUnwrapErr().message).toContain('"/etc/*" leaves the workspace');
    for (const x of ['', '.']) {
      expect(check(output, { x })._unsafeUnwrapErr().message).toContain('is the workspace itself');
    }
  });

  it('refuses two artifacts that parameters lead to one place, or one into the other', () => {
    const blocks = [
      block('a', [], at('{{workspace}}/{{x}}/out')),
      block('b', [], at('{{workspace}}/{{y}}/out')),
    ];
    for (const y of ['one', './one', 'one/out']) {
      const error = check(blocks, { x: 'one', y })._unsafeUnwrapErr();
      expect(error).toMatchObject({ code: 'INPUT_INVALID' });
      expect(error.message).toMatch(/"out" of "[ab]".*in the place of "out" of "[ab]"/);
    }
    expect(check(blocks, { x: 'one', y: 'one-more' }).isOk()).toBe(true);
  });

  it('sees the parameters a block sets for itself', () => {
    const own = { ...at('{{workspace}}/{{x}}/out'), scope: { run_params: { x: '..' } } };
    const error = check([block('a', [], own)], { x: 'fine' })._unsafeUnwrapErr();
    expect(error.code).toBe('PATH_OUTSIDE_WORKSPACE');
  });

  it('takes a thousand blocks in its stride', () => {
    const blocks = Array.from({ length: 1000 }, (_, i) => block(`b${i}`, [], at(`{{workspace}}/{{x}}/${i}`)));
    expect(check(blocks, { x: 'one' }).isOk()).toBe(true);
  });
});
