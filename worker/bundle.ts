/**
 * The workflow code, bundled ahead of time: a worker starts in half a second instead of three. The bundle's first line
 * carries the hash of the sources it was made from; one that does not match them is refused, since a worker that runs
 * old code against new sources would be a riddle.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { err, ok, type Result } from 'neverthrow';
import { sha256Digest } from '../src/canonical';
import { problem, type RailyardError } from '../src/errors';
import { PACKAGE_ROOT, writeAtomic } from '../src/home';

/** Everything of ours that is in the bundle; a test compares. */
export const SOURCES = [
  'workflows',
  'src/errors.ts',
  'src/workrail-errors.ts',
  'src/factory/attempt.ts',
  'src/factory/plan.ts',
  'src/factory/run-state.ts',
  'src/factory/walk',
  'src/ledger/facts.ts',
  'src/ledger/lost.ts',
  'src/ledger/run-activities.ts',
];
export const BUNDLE = join(PACKAGE_ROOT, 'dist', 'workflow-bundle.js');
const ENTRY = join(PACKAGE_ROOT, 'workflows', 'index.ts');

/** Bundle the workflows and write them to `dist`. */
export async function buildBundle(): Promise<void> {
  const { code } = await bundleWorkflowCode({ workflowsPath: ENTRY, logger: new DefaultLogger('WARN') });
  await writeAtomic(BUNDLE, `// ${sourceHash()}\n${code}`);
}

/** The path of the prebuilt bundle, if it belongs to these sources. */
export async function findBundle(): Promise<Result<string, RailyardError>> {
  const refuse = (message: string): Result<string, RailyardError> =>
    err(problem('BUILD_STALE', message, { details: { bundle: relative(PACKAGE_ROOT, BUNDLE) } }));
  let text: string;
  try {
    text = await readFile(BUNDLE, 'utf8');
  } catch {
    return refuse('The workflow code has not been built.');
  }
  return text.startsWith(`// ${sourceHash()}\n`)
    ? ok(BUNDLE)
    : refuse('The built workflow code is older than its sources.');
}

function sourceHash(): string {
  const files = SOURCES.flatMap((name) => filesUnder(join(PACKAGE_ROOT, name))).sort();
  const lines = files.map((path) => `${relative(PACKAGE_ROOT, path)} ${sha256Digest(readFileSync(path))}`);
  return sha256Digest(lines.join('\n'));
}

function filesUnder(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() || entry.name.endsWith('.ts') ? filesUnder(join(path, entry.name)) : [],
  );
}
