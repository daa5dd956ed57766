/**
 * From an artifact in the content store back to its path in the workspace. Where the right bytes are there already,
 * nothing is written, so it may be repeated at will. What is wrong is replaced by a rename: a reader sees the old or
 * the new, and a folder is never half filled.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { sha256Digest } from '../canonical';
import { type RailyardError } from '../errors';
import { type ArtifactRef } from '../factory/run-state';
import { DIRECTORY } from './capture';
import { hashFile, type ContentStore } from './content-store';
import { hasCode, isMissing } from '../errno';
import { mayRead, walkTree } from './file-tree';
import { listingText, parseListing, type ListedFile } from './listing';
import { inTurn } from './in-turn';
import { locate, pathInside, type Workspace } from './workspace';

/** How often two processes may get into each other's way before one gives up. */
const RENAME_TRIES = 10;

/** See to it that an artifact is at its path, byte for byte. */
export async function materialise(
  store: ContentStore,
  workspace: Workspace,
  artifact: ArtifactRef,
): Promise<Result<void, RailyardError>> {
  const inside = pathInside(workspace.root, artifact.path);
  if (inside.isErr()) return err(inside.error);
  const located = locate(workspace, inside.value);
  if (located.isErr()) return err(located.error);
  const place = located.value;
  return inTurn(place, async () => {
    if ((await digestAt(workspace, place, artifact)) === artifact.digest) return ok();
    await mkdir(dirname(place), { recursive: true });
    const temporary = besides(place);
    try {
      const built = await build(store, artifact, temporary);
      if (built.isOk()) await install(temporary, place);
      return built;
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

/** The digest of what is there; null where that is nothing, or nothing of the right kind. */
async function digestAt(
  workspace: Workspace,
  place: string,
  { format }: ArtifactRef,
): Promise<string | null> {
  const found = lstatOrNull(place);
  if (format !== DIRECTORY) {
    const readable = found?.isFile() === true && mayRead(place);
    return readable ? (await hashFile(place)).digest : null;
  }
  if (found?.isDirectory() !== true) return null;
  const files: ListedFile[] = [];
  for (const entry of walkTree(workspace, place)) {
    if (entry.kind === 'refused') return null;
    files.push({ path: entry.path, ...(await hashFile(entry.real)) });
  }
  return sha256Digest(listingText(files));
}

async function build(
  store: ContentStore,
  { digest, format }: ArtifactRef,
  target: string,
): Promise<Result<void, RailyardError>> {
  if (format !== DIRECTORY) return (await store.copyTo(digest, target)).map(() => undefined);
  await mkdir(target);
  // The listing passes through the target, which nobody looks at yet, to be verified like any other blob.
  const text = join(target, 'listing');
  const copied = await store.copyTo(digest, text);
  if (copied.isErr()) return err(copied.error);
  const listing = parseListing(await readFile(text, 'utf8'));
  await rm(text);
  if (listing.isErr()) return err(listing.error);
  for (const file of listing.value.files) {
    const path = join(target, file.path);
    await mkdir(dirname(path), { recursive: true });
    const written = await store.copyTo(file.digest, path);
    if (written.isErr()) return err(written.error);
  }
  return ok();
}

/** Put a file or folder in its place, whatever is there. */
async function install(temporary: string, place: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await rename(temporary, place);
      return;
    } catch (error) {
      // A folder is in the way, or something that is none: rename replaces only its like, and only empty folders.
      const inTheWay = hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EISDIR', 'ENOTDIR');
      if (!inTheWay || tries === RENAME_TRIES) throw error;
    }
    await setAside(place);
  }
}

async function setAside(place: string): Promise<void> {
  const aside = besides(place);
  try {
    await rename(place, aside);
  } catch (error) {
    // Somebody else was faster.
    if (!isMissing(error)) throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

/** A hidden name in the same folder, which no pattern of a block matches. */
const besides = (place: string): string => join(dirname(place), `.${basename(place)}.${randomUUID()}.tmp`);

function lstatOrNull(path: string) {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
