import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import type * as Temporal from '../../../worker/temporal';

const ROOT = join(__dirname, '..', '..', '..');

/** Where the project's own tests keep the Temporal program. */
export const PROGRAM_CACHE = join(ROOT, 'node_modules', '.cache', 'railyard');

/** The module under test, compiled: its guard and its downloader are processes that plain `node` must start. */
export interface Compiled {
  readonly folder: string;
  readonly temporal: typeof Temporal;
  readonly remove: () => void;
}

/** Compile the sources as they are now. Inside the repository, so that its packages are found. */
export async function compileTemporal(): Promise<Compiled> {
  mkdirSync(PROGRAM_CACHE, { recursive: true });
  const copy = mkdtempSync(join(PROGRAM_CACHE, 'compiled-'));
  const sources = readdirSync(join(ROOT, 'worker', 'temporal')).map((name) =>
    join('worker', 'temporal', name),
  );
  for (const source of [...sources, join('src', 'errors.ts'), join('src', 'workrail-errors.ts')]) {
    const { code } = transformFileSync(join(ROOT, source), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    const target = join(copy, source.replace(/\.ts$/, '.js'));
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, code);
  }
  const folder = join(copy, 'worker', 'temporal');
  return {
    folder,
    // The compiled copy of exactly this module.
    temporal: (await import(join(folder, 'index.js'))) as typeof Temporal,
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
