/**
 * Artifacts by their digest: `sha256/ab/<hex>` below one folder. A blob appears whole or not at all, is never changed,
 * and is written once: under a name of its own, synced, then renamed. What has been put outlives a power cut: the ledger
 * refers to it. Large files pass through in pieces.
 *
 * Refusals (no such blob, a damaged one) are Results; trouble of the disk rejects with the system's own error.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
  utimesSync,
  type ReadStream,
} from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { isSha256Digest, sha256Digest, type Sha256Digest } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { isMissing } from '../errno';

/** What is in the store now. */
export interface Stored {
  readonly digest: Sha256Digest;
  readonly bytes: number;
}

/** Nobody writes to a blob. */
const BLOB_MODE = 0o444;
/** Read in one go, without giving way to others: less than a millisecond. */
const SMALL_BYTES = 65_536;
/** So many digests take a megabyte. */
const MAX_REMEMBERED = 10_000;
/** A link or a pipe put in the place of a checked file must neither be followed nor waited for. */
const PLAIN_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class ContentStore {
  /** Blobs that this process knows to be durable. */
  private readonly durable = new Set<string>();

  /** `root`: the folder of the store; made when the first blob comes. */
  constructor(readonly root: string) {}

  /** Keep some bytes; a string is kept as UTF-8. */
  async putBytes(data: string | Uint8Array): Promise<Stored> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const stored = { digest: sha256Digest(bytes), bytes: bytes.length };
    return (await this.holds(stored)) ? stored : this.write([bytes]);
  }

  /** Keep a file. Its digest is that of the bytes that were kept, whoever writes to it meanwhile. */
  async putFile(path: string): Promise<Stored> {
    const small = hashSmall(path);
    if (small && (await this.holds(small))) return small;
    const file = await open(path, PLAIN_READ);
    try {
      const stored = await hashOf(file);
      return (await this.holds(stored)) ? stored : await this.write(fromStart(file));
    } finally {
      await file.close();
    }
  }

  /** The size of a blob; null where the store has none of this digest. */
  sizeOf(digest: string): number | null {
    if (!isSha256Digest(digest)) return null;
    try {
      return statSync(this.pathOf(digest)).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Open a blob to read it in pieces. It is not verified on the way; whoever needs that calls `copyTo` or `verify`. */
  async read(digest: string): Promise<Result<{ bytes: number; stream: ReadStream }, RailyardError>> {
    const file = await this.openBlob(digest);
    if (file === null) return err(notInStore(digest));
    return ok({ bytes: (await file.stat()).size, stream: file.createReadStream() });
  }

  /** Write a blob to a new file, checking every byte. */
  async copyTo(digest: string, path: string): Promise<Result<Stored, RailyardError>> {
    const blob = await this.openBlob(digest);
    if (blob === null) return err(notInStore(digest));
    try {
      const copy = await open(path, 'wx');
      try {
        return asExpected(digest, await pour(fromStart(blob), copy));
      } finally {
        await copy.close();
      }
    } finally {
      await blob.close();
    }
  }

  /** Read a blob again and compare it with its digest. */
  async verify(digest: string): Promise<Result<Stored, RailyardError>> {
    const blob = await this.openBlob(digest);
    if (blob === null) return err(notInStore(digest));
    try {
      return asExpected(digest, await hashOf(blob));
    } finally {
      await blob.close();
    }
  }

  private async write(source: Source): Promise<Stored> {
    await mkdir(join(this.root, 'tmp'), { recursive: true });
    const temporary = join(this.root, 'tmp', randomUUID());
    try {
      const stored = await writeSynced(source, temporary);
      const folder = dirname(this.pathOf(stored.digest));
      const fresh = await mkdir(folder, { recursive: true });
      await rename(temporary, this.pathOf(stored.digest));
      await syncFolder(folder);
      // Every folder that was made has its name in the one above it.
      for (let made = folder; fresh !== undefined && made.length >= fresh.length; made = dirname(made)) {
        await syncFolder(dirname(made));
      }
      this.remember(stored.digest);
      return stored;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /**
   * Is it there already? Then it is touched: garbage collection leaves alone what somebody is about to refer to. A blob of
   * the wrong size is a damaged one; it is written anew. Whoever wrote it may have died before its name was durable.
   */
  private async holds({ digest, bytes }: Stored): Promise<boolean> {
    if (this.sizeOf(digest) !== bytes) return false;
    const now = new Date();
    try {
      utimesSync(this.pathOf(digest), now, now);
    } catch (error) {
      if (isMissing(error)) return false;
      // One that may not be touched (another owner's) is there all the same.
    }
    if (this.durable.has(digest)) return true;
    await syncFolder(dirname(this.pathOf(digest)));
    this.remember(digest);
    return true;
  }

  private remember(digest: string): void {
    if (this.durable.size >= MAX_REMEMBERED) this.durable.clear();
    this.durable.add(digest);
  }

  private async openBlob(digest: string): Promise<FileHandle | null> {
    if (!isSha256Digest(digest)) return null;
    try {
      return await open(this.pathOf(digest), PLAIN_READ);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  private pathOf(digest: Sha256Digest): string {
    const hex = digest.slice('sha256:'.length);
    return join(this.root, 'sha256', hex.slice(0, 2), hex);
  }
}

/** The digest and size of a file: a small one at once, a large one in pieces. */
export async function hashFile(path: string): Promise<Stored> {
  return hashSmall(path) ?? hashLarge(path);
}

/** Most artifacts are small, and are looked at often; null: this one is not. */
function hashSmall(path: string): Stored | null {
  const fd = openSync(path, PLAIN_READ);
  try {
    if (fstatSync(fd).size > SMALL_BYTES) return null;
    const data = readFileSync(fd);
    return { digest: sha256Digest(data), bytes: data.length };
  } finally {
    closeSync(fd);
  }
}

async function hashLarge(path: string): Promise<Stored> {
  const file = await open(path, PLAIN_READ);
  try {
    return await hashOf(file);
  } finally {
    await file.close();
  }
}

const hashOf = (file: FileHandle): Promise<Stored> => pour(fromStart(file), null);

async function writeSynced(source: Source, path: string): Promise<Stored> {
  const file = await open(path, 'wx', BLOB_MODE);
  try {
    const stored = await pour(source, file);
    await file.sync();
    return stored;
  } finally {
    await file.close();
  }
}

type Source = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Hash what comes, and write it where there is a place for it. */
async function pour(source: Source, into: FileHandle | null): Promise<Stored> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source) {
    hash.update(chunk);
    bytes += chunk.length;
    await into?.writeFile(chunk);
  }
  // 64 hex digits after the prefix, which is what the brand promises.
  return { digest: `sha256:${hash.digest('hex')}` as Sha256Digest, bytes };
}

/** A file's bytes from its first, in pieces; the handle stays open. */
function fromStart(file: FileHandle): AsyncIterable<Uint8Array> {
  return file.createReadStream({ start: 0, autoClose: false });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function asExpected(digest: string, stored: Stored): Result<Stored, RailyardError> {
  if (stored.digest === digest) return ok(stored);
  const message = `The artifact ${digest} is damaged in the artifact store.`;
  return err(problem('INTERNAL', message, { suggestion: RESTORE, details: { digest } }));
}

function notInStore(digest: string): RailyardError {
  const message = `The artifact ${digest} is not in the artifact store.`;
  return problem('INTERNAL', message, { suggestion: RESTORE, details: { digest } });
}

const RESTORE = 'Retry the block that wrote it, or restore the artifacts folder from a backup.';
