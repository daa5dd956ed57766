import { readdirSync, renameSync, rmSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { isMissing } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { type ContentShelf, type StoredContent } from '../ports';

/** A piece of content: its digest in hex, JSON with its ending. */
const CONTENT = /^(?<hex>[0-9a-f]{64})(?:\.json)?$/;

/** What is being removed is called this first. */
const GOING = '.going-';

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
        // A removal that came to nothing: it is back, and judged with the rest the next time.
        if (basename(path).startsWith(GOING)) {
          renameSync(path, join(dirname(path), basename(path).slice(GOING.length)));
        }
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

  /**
   * The name goes before the content does: whoever puts the same content meanwhile has either touched it, and that is seen
   * under the other name, or finds it gone and writes it anew.
   */
  remove(digest: string, untouchedSinceMs: number): Promise<Result<boolean, RailyardError>> {
    const path = this.#paths.get(digest);
    const isYoung = (at: string) =>
      (statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) >= untouchedSinceMs;
    try {
      if (path === undefined || isYoung(path)) return Promise.resolve(ok(false));
      const going = join(dirname(path), `${GOING}${basename(path)}`);
      renameSync(path, going);
      const back = isYoung(going);
      if (back) renameSync(going, path);
      else rmSync(going, { force: true });
      return Promise.resolve(ok(!back));
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
