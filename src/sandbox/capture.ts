/** From a declared path in the workspace to an artifact in the content store. */
import { statSync } from 'node:fs';
import { type CompiledArtifact } from '../factory/compile';
import { type ArtifactRef } from '../factory/run-state';
import { type ContentStore, type Stored } from './content-store';
import { mayRead, walkTree } from './file-tree';
import { listingText, type ListedFile } from './listing';
import { isInside, linkTarget, pathInside, type Workspace } from './workspace';

/** What became of a declared artifact. */
export type Captured =
  | { readonly kind: 'captured'; readonly artifact: ArtifactRef }
  /** Nothing is there, or an empty folder. */
  | { readonly kind: 'missing'; readonly key: string; readonly path: string }
  /** Something is there that must not be taken; `why` continues a sentence that begins with the path. */
  | { readonly kind: 'refused'; readonly key: string; readonly path: string; readonly why: string };

/** The format whose artifacts are folders; every other one is a file. */
export const DIRECTORY = 'directory';

/** Take a declared artifact, with its path resolved, into the store. */
export async function capture(
  store: ContentStore,
  workspace: Workspace,
  { key, path: declared, format }: CompiledArtifact,
): Promise<Captured> {
  const inside = pathInside(workspace.root, declared);
  if (inside.isErr()) return { kind: 'refused', key, path: declared, why: 'is not in the workspace' };
  const path = inside.value;
  const refused = (why: string, at = path): Captured => ({ kind: 'refused', key, path: at, why });

  const real = linkTarget(path);
  if (real === null) return { kind: 'missing', key, path };
  if (!isInside(workspace, real)) return refused(`leads to ${real}, outside of the workspace`);
  const found = statSync(real);
  if (format !== DIRECTORY) {
    if (found.isDirectory()) return refused(`is a folder, but its format is "${format}"`);
    if (!found.isFile()) return refused('is neither a file nor a folder');
    if (!mayRead(real)) return refused('may not be read');
    return { kind: 'captured', artifact: { key, path, format, ...(await store.putFile(real)) } };
  }
  if (!found.isDirectory()) return refused('is no folder, but its format is "directory"');
  const files: ListedFile[] = [];
  for (const entry of walkTree(workspace, real)) {
    if (entry.kind === 'refused') return refused(entry.why, `${path}/${entry.path}`);
    files.push({ path: entry.path, ...(await store.putFile(entry.real)) });
  }
  if (files.length === 0) return { kind: 'missing', key, path };
  return { kind: 'captured', artifact: { key, path, format, ...(await putListing(store, files)) } };
}

/** The digest of a directory is its listing's, its size that of its files. */
async function putListing(store: ContentStore, files: readonly ListedFile[]): Promise<Stored> {
  const { digest } = await store.putBytes(listingText(files));
  return { digest, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
}
