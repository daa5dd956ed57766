/** The use cases of artifacts: find one by its digest, or by run, block and key, and what is in a directory. */
import { text } from 'node:stream/consumers';
import { err, ok, type Result } from 'neverthrow';
import { isSha256Digest } from '../../src/canonical';
import { problem, type RailyardError } from '../../src/errors';
import { type ArtifactRef } from '../../src/factory/run-state';
import { type Home } from '../../src/home';
import { ContentStore, DIRECTORY, parseListing, type Listing } from '../../src/sandbox';
import { type RunView } from '../run-view';
import { noArtifact } from './refusals';

/** A blob with what is known of it; `format` and `path` say as what it is handed out. */
export interface Blob {
  readonly digest: string;
  readonly bytes: number;
  readonly format: string;
  readonly path: string;
}

/** Bytes, or a directory's listing. */
export type Found =
  | { readonly kind: 'blob'; readonly blob: Blob }
  | { readonly kind: 'directory'; readonly digest: string; readonly listing: Listing };

export class ArtifactShelf {
  readonly store: ContentStore;

  constructor(home: Home) {
    this.store = new ContentStore(home.path('artifacts'));
  }

  /** Whatever has this digest, as bytes: of a directory, its listing. */
  byDigest(digest: string): Result<Found, RailyardError> {
    const bytes = this.store.sizeOf(digest);
    if (bytes === null) {
      const why = isSha256Digest(digest) ? '' : ' A digest is "sha256:" and 64 hexadecimal digits.';
      return err(noArtifact(`There is no artifact "${digest}".${why}`));
    }
    return ok({ kind: 'blob', blob: { digest, bytes, format: '', path: digest.replace(':', '-') } });
  }

  /** An artifact of a block's current attempt, else of its last good one; or a file in one that is a directory. */
  async inRun(
    view: RunView,
    block: string,
    key: string,
    path: string | null,
  ): Promise<Result<Found, RailyardError>> {
    const found = artifactOf(view, block, key);
    if (found.isErr()) return err(found.error);
    const artifact = found.value;
    if (artifact.format !== DIRECTORY) {
      if (path !== null) return err(noArtifact(`The artifact "${key}" of "${block}" is one file.`));
      return this.sized(artifact.digest, artifact.format, artifact.path);
    }
    const listing = await this.listing(artifact.digest);
    if (listing.isErr()) return err(listing.error);
    if (path === null) return ok({ kind: 'directory', digest: artifact.digest, listing: listing.value });
    const file = listing.value.files.find((one) => one.path === path);
    if (!file) return err(noArtifact(`There is no "${path}" in the artifact "${key}" of "${block}".`));
    return this.sized(file.digest, 'file', file.path);
  }

  /** What a directory artifact consists of. */
  async listing(digest: string): Promise<Result<Listing, RailyardError>> {
    const read = await this.store.read(digest);
    if (read.isErr()) return err(read.error);
    return parseListing(await text(read.value.stream));
  }

  private sized(digest: string, format: string, path: string): Result<Found, RailyardError> {
    return this.byDigest(digest).map((found) =>
      found.kind === 'blob' ? { kind: 'blob', blob: { ...found.blob, format, path } } : found,
    );
  }
}

function artifactOf(view: RunView, block: string, key: string): Result<ArtifactRef, RailyardError> {
  const known = view.blocks.find(({ id }) => id === block);
  if (!known) {
    return err(problem('BLOCK_NOT_FOUND', `The run "${view.run_id}" has no block "${block}".`));
  }
  const good = [...known.artifacts, ...(known.last_done?.artifacts ?? [])];
  const artifact = good.find((one) => one.key === key);
  if (artifact) return ok(artifact);
  return err(noArtifact(`The block "${block}" has no artifact "${key}" now; it is ${known.status}.`));
}
