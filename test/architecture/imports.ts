/** Who imports whom, read from the sources. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..', '..');

export interface Import {
  /** Path from the root of the repository. */
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
  /** Does it vanish when TypeScript is compiled? */
  readonly typeOnly: boolean;
}

/** Every import of every TypeScript file below these folders. */
export function importsOf(...folders: readonly string[]): Import[] {
  return folders.flatMap((folder) => filesUnder(join(ROOT, folder))).flatMap(importsOfFile);
}

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return path.endsWith('.ts') ? [path] : [];
  return readdirSync(path).flatMap((name) => filesUnder(join(path, name)));
}

function importsOfFile(path: string): Import[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022);
  const found: Import[] = [];
  const add = (text: string, typeOnly: boolean): void => {
    found.push({ from: relative(ROOT, path), to: target(path, text), typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, isTypeOnly(node.importClause));
    } else if (
      ts.isExportDeclaration(node) &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      add(node.moduleSpecifier.text, node.isTypeOnly || elementsAreTypes(node.exportClause));
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteral(argument)) add(argument.text, false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  return clause.name === undefined && elementsAreTypes(clause.namedBindings);
}

function elementsAreTypes(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (!bindings || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return false;
  return bindings.elements.every((element) => element.isTypeOnly);
}

function target(from: string, text: string): string {
  if (!text.startsWith('.')) return text;
  const path = resolve(dirname(from), text);
  const candidates = [`${path}.ts`, join(path, 'index.ts'), path];
  return relative(ROOT, candidates.find((one) => existsSync(one) && statSync(one).isFile()) ?? path);
}
