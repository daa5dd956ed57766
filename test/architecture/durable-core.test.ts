import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from '@jest/globals';
import { importsOf, type Import } from './imports';

const ROOT = join(__dirname, '..', '..');
/** The one folder of the WorkRail parts with Node I/O in it. */
const LOCAL = 'src/workrail/local/';
const CORE = readdirSync(join(ROOT, 'src', 'workrail'))
  .map((name) => `src/workrail/${name}`)
  .filter((folder) => !LOCAL.startsWith(`${folder}/`));

const isOfNode = (name: string): boolean => name.startsWith('node:') || builtinModules.includes(name);
const show = ({ from, to }: Import): string => `${from} → ${to}`;
const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.ES2022, true);

/** Every file below some folders, as the sources are laid out. */
function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

function nodesOf(file: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('the durable core', () => {
  it('[durable-core-no-node-imports] imports no module of Node', () => {
    const strangers = importsOf(...CORE).filter(({ to }) => isOfNode(to));
    expect(strangers.map(show)).toEqual([]);
  });

  it('[infra-only-node-io] reaches no I/O of Node by anything it imports; the hash of src/canonical is all', () => {
    const imports = importsOf('src').filter(({ typeOnly }) => !typeOnly);
    const reached = new Set(importsOf(...CORE).map(({ from }) => from));
    // A set that grows while it is walked: each file is looked at once.
    for (const file of reached) for (const { from, to } of imports) if (from === file) reached.add(to);
    expect([...reached].filter((name) => isOfNode(name))).toEqual(['node:crypto']);
    const hashing = imports.filter(({ from, to }) => reached.has(from) && isOfNode(to));
    expect(hashing.map(show)).toEqual(['src/canonical/digest.ts → node:crypto']);
  });

  it.each([...CORE, 'src/canonical'].flatMap(filesUnder))(
    '[durable-core-no-buffer] %s knows no Buffer, process or other global of Node',
    (path) => {
      const globals = ['Buffer', 'process', 'require', '__dirname', '__filename', 'setImmediate'];
      const used = nodesOf(parse(path)).filter(
        (node) => ts.isIdentifier(node) && globals.includes(node.text),
      );
      expect(used.map((node) => node.getText())).toEqual([]);
    },
  );
});

describe('a port', () => {
  const files = filesUnder('src/workrail/ports');

  it.each(files)('[ports-interfaces-only] %s has types and nothing that runs', (path) => {
    const running = parse(path).statements.filter((statement) => {
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return false;
      if (ts.isVariableStatement(statement)) {
        return !statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);
      }
      return (
        !ts.isImportDeclaration(statement) && !(ts.isExportDeclaration(statement) && statement.isTypeOnly)
      );
    });
    expect(running.map((statement) => statement.getText())).toEqual([]);
    expect(
      importsOf(path)
        .filter(({ typeOnly }) => !typeOnly)
        .map(show),
    ).toEqual([]);
  });

  it.each(files)('[no-throws-across-boundaries] %s promises Results only', (path) => {
    const promised = nodesOf(parse(path)).flatMap((node) =>
      (ts.isMethodSignature(node) || ts.isFunctionTypeNode(node)) && node.type ? [node.type.getText()] : [],
    );
    expect(
      promised.filter((type) => type.startsWith('Promise<') && !type.startsWith('Promise<Result<')),
    ).toEqual([]);
  });
});
