/**
 * `inputs.files`: patterns to the files they name, inside of the workspace. The search walks the workspace and asks each
 * file whether it matches, so no pattern, and nothing a parameter put into one, can lead out of it.
 */
import { stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import picomatch from 'picomatch';
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../errors';
import { walkTree } from './file-tree';
import { byteOrder } from './listing';
import { isInside, linkTarget, pathInside, type Workspace } from './workspace';

/** The files that patterns name. */
export interface MatchedFiles {
  /** Absolute, each once, in byte order. */
  readonly files: readonly string[];
  /** What matched and was left out, a sentence each. */
  readonly warnings: readonly string[];
}

/** `*`, `?`, `[a-z]`, `{a,b}` and `**`; names that begin with a dot match only where the pattern says the dot. */
const LANGUAGE = { dot: false, nonegate: true, noextglob: true };

/** Find the files of some patterns, with their placeholders filled in. */
export async function matchFiles(
  workspace: Workspace,
  patterns: readonly string[],
): Promise<Result<MatchedFiles, RailyardError>> {
  const files = new Set<string>();
  const warnings = new Set<string>();
  for (const pattern of patterns) {
    const inside = pathInside(workspace.root, pattern);
    if (inside.isErr()) return err(inside.error);
    await search(workspace, inside.value.slice(workspace.root.length + 1), files, warnings);
  }
  return ok({ files: [...files].sort(byteOrder), warnings: [...warnings].sort(byteOrder) });
}

async function search(
  workspace: Workspace,
  pattern: string,
  files: Set<string>,
  warnings: Set<string>,
): Promise<void> {
  const { base, isGlob } = picomatch.scan(pattern, LANGUAGE);
  const start = isGlob ? base : posix.dirname(pattern);
  const folder = join(workspace.root, start);
  const real = linkTarget(folder);
  if (real === null || !(await stat(real)).isDirectory()) return;
  if (!isInside(workspace, real)) {
    warnings.add(`${folder} leads to ${real}, outside of the workspace, and was left out.`);
    return;
  }
  const matches = picomatch(pattern, LANGUAGE);
  for (const entry of walkTree(workspace, real)) {
    const path = posix.join(start, entry.path);
    // A name with parentheses or brackets, written out, means itself.
    if (path !== pattern && !matches(path)) continue;
    if (entry.kind === 'file') files.add(join(workspace.root, path));
    else warnings.add(`${join(workspace.root, path)} ${entry.why} and was left out.`);
  }
}
