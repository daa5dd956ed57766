/** The files below a folder of the workspace, and what may not be taken for one. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../errno';
import { isInside, linkTarget, type Workspace } from './workspace';

/** One name below a folder that is not itself a folder. */
export type TreeEntry =
  | {
      readonly kind: 'file';
      /** Relative to the folder, with `/` between names. */
      readonly path: string;
      /** The file itself, links resolved. */
      readonly real: string;
    }
  | { readonly kind: 'refused'; readonly path: string; readonly why: string };

/**
 * Everything below a folder, given by its real path, in no order. Links to folders are not followed: they would count
 * files twice, or for ever.
 */
export function* walkTree(workspace: Workspace, folder: string, prefix = ''): Generator<TreeEntry> {
  const entries = entriesOf(folder);
  if (entries === null) {
    yield { kind: 'refused', path: prefix || '.', why: 'may not be read' };
    return;
  }
  for (const entry of entries) {
    const name = entry.name.toString();
    const path = prefix + name;
    // What is not UTF-8 has no name we could write down and find again.
    if (!Buffer.from(name).equals(entry.name))
      yield { kind: 'refused', path, why: 'has a name that is not UTF-8' };
    else if (entry.isDirectory()) yield* walkTree(workspace, join(folder, name), `${path}/`);
    else yield { path, ...classify(workspace, join(folder, name)) };
  }
}

type Found =
  { readonly kind: 'file'; readonly real: string } | { readonly kind: 'refused'; readonly why: string };

/** A name that is no folder: a file, a link to one inside of the workspace, or something to refuse. */
function classify(workspace: Workspace, path: string): Found {
  const refused = (why: string): Found => ({ kind: 'refused', why });
  const real = linkTarget(path);
  if (real === null) return refused('is a link to nowhere');
  if (!isInside(workspace, real)) return refused(`is a link to ${real}, outside of the workspace`);
  const target = statSync(real);
  if (target.isDirectory()) return refused(`is a link to the folder ${real}`);
  if (!target.isFile()) return refused('is neither a file nor a folder');
  return mayRead(real) ? { kind: 'file', real } : refused('may not be read');
}

/** May we read it? A file we may not read is the skill's fault, not the machine's. */
export function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return false;
    throw error;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return null;
    throw error;
  }
}
