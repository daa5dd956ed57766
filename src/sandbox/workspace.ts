/**
 * The workspace of a run, and the two halves of the rule that nothing leaves it. `pathInside` is the lexical half: what
 * a parameter put into a path. `locate` and `isInside` are the other: where links on the disk lead to.
 *
 * Names are looked up synchronously, here and in `file-tree`: that takes microseconds, its promise a hundred of them, and
 * an attempt looks up dozens.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { hasCode, isMissing } from '../errno';

/** A workspace that is there. */
export interface Workspace {
  /** As the run names it: absolute and normal. Paths shown to skills and people begin with it. */
  readonly root: string;
  /** The same folder with every link on the way resolved. */
  readonly real: string;
}

/** The workspace at a path; the folder is made if need be. */
export function openWorkspace(path: string): Result<Workspace, RailyardError> {
  const root = resolve(path);
  if (!isAbsolute(path) || path.includes('\0') || dirname(root) === root) {
    const suggestion = 'Pass workspace_path as an absolute path of a folder.';
    return err(problem('INPUT_INVALID', `"${path}" cannot be a workspace.`, { suggestion }));
  }
  mkdirSync(root, { recursive: true });
  return ok({ root, real: realpathSync.native(root) });
}

/** A path of a block, absolute and normal; one that is not below the workspace is refused. Reads nothing. */
export function pathInside(root: string, path: string): Result<string, RailyardError> {
  const full = resolve(root, path);
  const inner = relative(resolve(root), full);
  const why =
    inner === ''
      ? 'is the workspace itself'
      : leaves(inner)
        ? 'leaves the workspace'
        : /[\\\0]/.test(inner)
          ? 'has a character that is not allowed in paths'
          : null;
  return why === null ? ok(full) : err(outside(`The path ${JSON.stringify(path)} ${why}.`, path));
}

/** Is a path, with links already resolved, the workspace or below it? */
export const isInside = ({ real }: Workspace, resolved: string): boolean => !leaves(relative(real, resolved));

const leaves = (inner: string): boolean => inner === '..' || inner.startsWith('../') || isAbsolute(inner);

/**
 * Where a path that passed `pathInside` is on the disk: the links among its parents resolved, its own name as it is.
 * Parents that are not there yet are no problem; a link that leads out, or nowhere, is.
 */
export function locate(workspace: Workspace, path: string): Result<string, RailyardError> {
  const steps = relative(workspace.root, dirname(path)).split('/').filter(Boolean);
  let place = workspace.real;
  for (const [index, step] of steps.entries()) {
    const next = join(place, step);
    if (!exists(next)) return ok(join(next, ...steps.slice(index + 1), basename(path)));
    const target = linkTarget(next);
    if (target === null || !isInside(workspace, target)) {
      const where = target ?? 'a place that does not exist';
      return err(outside(`${path} goes through ${next}, a link to ${where}.`, path));
    }
    if (!lstatSync(target).isDirectory()) {
      const message = `${next} is a file, but ${path} needs a folder there.`;
      return err(problem('INPUT_INVALID', message, { suggestion: 'Move the file away and try again.' }));
    }
    place = target;
  }
  return ok(join(place, basename(path)));
}

/** Is there anything of this name, be it a link to nowhere? */
function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Where a path ends when every link is followed; null where that is nowhere. */
export function linkTarget(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

function outside(message: string, path: string): RailyardError {
  return problem('PATH_OUTSIDE_WORKSPACE', message, { details: { path } });
}
