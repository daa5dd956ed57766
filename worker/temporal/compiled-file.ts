import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A compiled file of this folder, to be run by `node` as a process of its own. From the build it lies beside this
 * file; a process that runs the TypeScript source itself (Jest) uses the one in `dist`. Null: nothing was built.
 */
export function compiledFile(name: string): string | null {
  const beside = join(__dirname, name);
  const built = join(__dirname, '..', '..', 'dist', 'worker', 'temporal', name);
  return [beside, built].find((path) => existsSync(path)) ?? null;
}
