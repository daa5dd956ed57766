/**
 * A directory as an artifact: a canonical listing of its files, kept as a blob. The listing's digest is the directory's.
 * Empty folders, modes and times are no part of it.
 */
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { canonicalJson, isSha256Digest } from '../canonical';
import { problem, type RailyardError } from '../errors';

const ListedFile = z.strictObject({
  /** Relative to the directory, with `/` between names. */
  path: z.string().refine(isPlainPath),
  digest: z.string().refine(isSha256Digest),
  bytes: z.int().min(0),
});
const Listing = z.strictObject({ version: z.literal(1), files: z.array(ListedFile).readonly() });

/** One file of a directory artifact. */
export type ListedFile = Readonly<z.infer<typeof ListedFile>>;
/** What a directory artifact consists of, in byte order of the paths. */
export type Listing = Readonly<z.infer<typeof Listing>>;

/** The one text of a directory's files, in whatever order they come. */
export function listingText(files: readonly ListedFile[]): string {
  const sorted = [...files].sort((a, b) => byteOrder(a.path, b.path));
  const text = canonicalJson({ version: 1, files: sorted });
  if (text.isErr()) throw new Error(`Bug: a listing is not JSON at ${text.error.pointer}`);
  return text.value;
}

/** A listing from the store; one whose paths would leave the directory is refused like any other nonsense. */
export function parseListing(text: string): Result<Listing, RailyardError> {
  const parsed = Listing.safeParse(parseJson(text));
  if (parsed.success) return ok(parsed.data);
  const suggestion = 'Retry the block that wrote it.';
  return err(problem('INTERNAL', 'The artifact is not the listing of a directory.', { suggestion }));
}

/** Order by UTF-8 bytes: the same on every machine, in every locale. */
export function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isPlainPath(path: string): boolean {
  return (
    !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
