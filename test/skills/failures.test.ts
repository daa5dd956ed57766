/** How skills fail: one clear line, an exit code that is not 0, and no result. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneFactory, FactoryFloor, inOrder, type SkillEnd } from './factory-floor';

const blocks = inOrder(cloneFactory().blocks);
const readers = blocks.filter(({ depends }) => depends.length === 0).map(({ id }) => id);
const edges = blocks.flatMap(({ id, depends }) => depends.map(({ key }) => [id, key] as const));
/** The first JSON input of each block: one process a block is enough to see how it meets a wrong shape. */
const firstJson = blocks.flatMap(({ id }) =>
  edges.filter(([to, key]) => to === id && formatOf(id, key) === 'json').slice(0, 1),
);

function expectOneLine(end: SkillEnd, skill: string): void {
  expect(end.status).toBeGreaterThan(0);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(end.stderr.startsWith(`${skill}: `)).toBe(true);
  expect(end.result).toBeNull();
}

describe('a skill', () => {
  let floor: FactoryFloor;
  let odd: string;

  beforeAll(() => {
    floor = new FactoryFloor();
    floor.walk();
    odd = mkdtempSync(join(tmpdir(), 'railyard-odd-'));
  });
  afterAll(() => {
    floor.close();
    rmSync(odd, { recursive: true, force: true });
  });

  /** A block's run with one of its inputs somewhere else. */
  function runWith(id: string, key: string, path: string): SkillEnd {
    const inputs = floor.inputsOf(floor.block(id));
    return floor.run(id, { inputs: inputs.map((input) => (input.key === key ? { ...input, path } : input)) });
  }

  it.each(edges)('%s says that its input %s is missing', (id, key) => {
    const end = runWith(id, key, join(odd, 'nowhere'));
    expectOneLine(end, id);
    expect(end.stderr).toContain(`"${key}" is missing`);
  });

  it.each(firstJson)('%s never stumbles over an empty object as its input %s', (id, key) => {
    const path = join(odd, 'empty.json');
    writeFileSync(path, '{}');
    const end = runWith(id, key, path);
    expect(end.stderr).not.toContain('bug in the skill');
    if (end.status !== 0) expectOneLine(end, id);
  });

  it('says that an input is not JSON', () => {
    const path = join(odd, 'broken.json');
    writeFileSync(path, '{"chunks": [');
    const end = runWith('module-mapper', 'chunk-index', path);
    expectOneLine(end, 'module-mapper');
    expect(end.stderr).toContain('is not JSON');
  });

  it.each(readers)('%s says that the inbox is empty', (id) => {
    const end = floor.run(id, { files: [] });
    expectOneLine(end, id);
    expect(end.stderr).toContain('nothing to read in the inbox');
  });

  it.each(readers)('%s says which file of the inbox is gone', (id) => {
    const end = floor.run(id, { files: [join(floor.workspace, 'inbox/gone.md')] });
    expectOneLine(end, id);
    expect(end.stderr).toContain('gone.md');
  });

  it('refuses an index of a text that the notebook does not have', () => {
    const changed = join(odd, 'raw-sources');
    cpSync(floor.artifact('deep-research', 'raw-sources'), changed, { recursive: true });
    writeFileSync(join(changed, 'bio.md'), '# About somebody else\n\nI mend nothing.\n');
    const end = runWith('source-indexer', 'raw-sources', `${changed}/`);
    expectOneLine(end, 'source-indexer');
    expect(end.stderr).toContain('the notebook does not match raw source bio.md');
  });

  it('refuses to report on a package that does not match its manifest', () => {
    const changed = join(odd, 'package');
    cpSync(floor.artifact('clone-packager', 'package'), changed, { recursive: true });
    writeFileSync(join(changed, 'clone/system-prompt.md'), 'You are somebody else.\n');
    const end = runWith('factory-reporter', 'package', `${changed}/`);
    expectOneLine(end, 'factory-reporter');
    expect(end.stderr).toContain('clone/system-prompt.md');
  });
});

function formatOf(id: string, key: string): string | undefined {
  const from = blocks.find((one) => one.id === id)?.depends.find((one) => one.key === key)?.block;
  return blocks.find((one) => one.id === from)?.artifacts.find((artifact) => artifact.key === key)?.format;
}
