/** The files of a folder of workflows: JSON files, in folders below it too, in one order everywhere. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, isErrno } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { type WorkflowSource } from '../model';

/** A folder of workflows. */
export interface WorkflowFolder {
  readonly sourceKind: WorkflowSource;
  readonly path: string;
}

/** A file that may be a workflow, or why it cannot be read. */
export interface WorkflowFile {
  readonly sourceKind: WorkflowSource;
  /** Below its folder, with slashes. */
  readonly ref: string;
  readonly content: { readonly text: string } | { readonly problem: RailyardError };
}

/** The largest workflow that compiles is far below this. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Folders in folders; a link that leads round in a circle ends here. */
const MAX_DEPTH = 8;

/** Every file of a folder that may be a workflow, sorted by path. A folder that is not there has none. */
export async function workflowFiles(folder: WorkflowFolder): Promise<readonly WorkflowFile[]> {
  const found = await filesBelow(folder.path, '', 0);
  return Promise.all(
    found.map(async ({ ref, fault }): Promise<WorkflowFile> => {
      const content = fault ? { problem: fault } : await contentOf(join(folder.path, ref));
      return { sourceKind: folder.sourceKind, ref, content };
    }),
  );
}

interface Found {
  readonly ref: string;
  readonly fault: RailyardError | null;
}

async function filesBelow(root: string, below: string, depth: number): Promise<readonly Found[]> {
  const found: Found[] = [];
  try {
    const entries = await readdir(join(root, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue;
      const ref = below === '' ? entry.name : `${below}/${entry.name}`;
      const isFolder =
        entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(join(root, ref))));
      if (isFolder && depth < MAX_DEPTH) found.push(...(await filesBelow(root, ref, depth + 1)));
      else if (!isFolder && entry.name.endsWith('.json')) found.push({ ref, fault: null });
    }
  } catch (error) {
    // No folder is as good as an empty one.
    if (!hasCode(error, 'ENOENT')) found.push({ ref: below, fault: unreadable(error) });
  }
  return found;
}

async function leadsToFolder(path: string): Promise<boolean> {
  // A link into nothing is a file that cannot be read, and is reported as one.
  return stat(path).then(
    (target) => target.isDirectory(),
    () => false,
  );
}

async function contentOf(path: string): Promise<WorkflowFile['content']> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return { problem: tooLarge(size) };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) };
  } catch (error) {
    return { problem: hasCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA') ? notUtf8() : unreadable(error) };
  }
}

const notUtf8 = (): RailyardError =>
  problem('WORKFLOW_NOT_JSON', 'The file is not UTF-8 text.', { suggestion: 'Save it as UTF-8.' });

const tooLarge = (bytes: number): RailyardError =>
  problem('WORKFLOW_INVALID', `The file has ${bytes} bytes; at most ${MAX_BYTES} are read.`, {
    suggestion: 'Shorten it, or move it out of the folder of workflows.',
  });

function unreadable(error: unknown): RailyardError {
  const why = isErrno(error) ? error.code : 'unknown reason';
  return problem('WORKFLOW_UNREADABLE', `It cannot be read (${why}).`);
}
