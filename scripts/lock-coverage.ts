/** Which test keeps which lock: read from the titles of the tests, where a lock's id stands in square brackets. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** One line of the checklist. */
export interface Lock {
  readonly id: string;
  readonly source: string;
  readonly summary: string;
  readonly category: string;
}

/** A test that names a lock. */
export interface LockTest {
  readonly file: string;
  readonly title: string;
}

/** The checklist of the locks. */
export function readLocks(root: string): readonly Lock[] {
  const text = readFileSync(join(root, 'test', 'vectors', 'locks.json'), 'utf8');
  // A file of our own; the test that reads every lock's id would fail on another shape.
  return (JSON.parse(text) as { locks: Lock[] }).locks;
}

/** Every id that a title below `test` carries, with the tests that carry it. */
export function testsByLock(root: string): ReadonlyMap<string, readonly LockTest[]> {
  const found = new Map<string, LockTest[]>();
  for (const path of testFiles(join(root, 'test'))) {
    for (const title of titlesOf(path)) {
      for (const [, id = ''] of title.matchAll(/\[([a-z0-9-]+)\]/g)) {
        found.set(id, [
          ...(found.get(id) ?? []),
          { file: relative(root, path).replaceAll('\\', '/'), title },
        ]);
      }
    }
  }
  return found;
}

/** The page of the locks and the tests that keep them. */
export function lockPage(root: string): string {
  const tests = testsByLock(root);
  const rows = readLocks(root).map(({ id, source, summary }) => {
    const section = /§.*$/.exec(source)?.[0] ?? source;
    const names = (tests.get(id) ?? []).map(({ file, title }) => `${inCell(plain(title))} (\`${file}\`)`);
    return `| \`${id}\` | ${inCell(section)} | ${inCell(summary)} | ${names.join('<br>') || '–'} |`;
  });
  return [
    '# Locks and their tests',
    '',
    'Made by `npm run docs` from the checklist of the locks and the titles of the tests. A test counts for a lock when it',
    'names its id in square brackets; it would fail if the lock were broken.',
    '',
    '| lock | section | what it says | tests |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

const plain = (title: string): string => title.replaceAll(/\[[a-z0-9-]+\]\s*/g, '');
const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return testFiles(path);
      return entry.name.endsWith('.test.ts') ? [path] : [];
    });
}

/** First arguments of `it(…)`, `test(…)`, `it.each(…)(…)` and the like. */
function titlesOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      if (title && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** A test that is skipped or to be written keeps nothing. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'it' || callee.text === 'test';
  if (ts.isCallExpression(callee) && ts.isPropertyAccessExpression(callee.expression)) {
    return callee.expression.name.text === 'each' && isTest(callee.expression.expression);
  }
  return false;
}
