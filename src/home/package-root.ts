import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the package, from its sources as well as from `dist`. */
export const PACKAGE_ROOT = findRoot(__dirname);

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('Bug: no package.json above the program');
  return findRoot(parent);
}
