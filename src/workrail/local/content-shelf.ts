import { readdirSync, rmSync, statSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { isMissing } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { type ContentShelf, type StoredContent } from '../ports';

/** A piece of content: its digest in hex, JSON with its ending. */
const CONTENT = /^(?<hex>[0-9a-f]{64})(?:\.json)?$/;

/**
 * Content files below a folder, at any depth, named by their digests. What has another name (a file that is being written,
 * say) is not looked at.
 */
export class FolderShelf implements ContentShelf {
  /** Where each piece was when it was last listed. */
  readonly #paths = new Map<string, string>();

  constructor(private readonly folder: string) {}

  list(): Promise<Result<readonly StoredContent[], RailyardError>> {
    const found: StoredContent[] = [];
    try {
      this.#paths.clear();
      for (const path of filesBelow(this.folder)) {
        const hex = CONTENT.exec(basename(path))?.groups?.hex;
        const stats = hex === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
        if (!stats) continue;
        this.#paths.set(`sha256:${hex}`, path);
        found.push({ digest: `sha256:${hex}`, bytes: stats.size, touchedMs: stats.mtimeMs });
      }
      return Promise.resolve(ok(found));
    } catch (error) {
      return Promise.resolve(err(failure('listed', error)));
    }
  }

  remove(digest: string, untouchedSinceMs: number): Promise<Result<boolean, RailyardError>> {
    const path = this.#paths.get(digest);
    try {
      const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
      if (path === undefined || !stats || stats.mtimeMs >= untouchedSinceMs)
        return Promise.resolve(ok(false));
      rmSync(path, { force: true });
      return Promise.resolve(ok(true));
    } catch (error) {
      return Promise.resolve(err(failure('removed', error)));
    }
  }
}

function* filesBelow(folder: string): Generator<string> {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  for (const entry of entries) {
    // Links are nobody's content.
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name));
    else if (entry.isFile()) yield join(folder, entry.name);
  }
}

const failure = (what: string, error: unknown): RailyardError =>
  problem(
    'STORE_IO',
    `Content cannot be ${what}: ${error instanceof Error ? error.message : String(error)}.`,
  );
