import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { importsOf } from '../../architecture/imports';

const FOLDERS = ['src/workrail/compiler', 'src/workrail/engine'];
const FORBIDDEN = new Set([
  'Buffer',
  'process',
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'require',
  'eval',
]);

/** Every identifier of a source that names something forbidden, and Math.random. */
function impurities(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && (FORBIDDEN.has(node.text) || node.text === 'random')) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.map((name) => `${path}: ${name}`);
}

describe('compiler and engine', () => {
  it('import nothing of Node [durable-core-no-node-imports]', () => {
    const node = importsOf(...FOLDERS).filter(({ to }) => to.startsWith('node:'));
    expect(node).toEqual([]);
  });

  it('use no Buffer, clock, randomness or environment [durable-core-no-buffer]', () => {
    const files = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(impurities)).toEqual([]);
  });
});
