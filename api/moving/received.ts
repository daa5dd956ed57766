/** A bundle that is being sent: kept on disk until it is imported, since it is read twice. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { err, ok, type Result } from 'neverthrow';
import { hasCode } from '../../src/errno';
import { problem, type RailyardError } from '../../src/errors';
import { type Home } from '../../src/home';
import { type BundleSource } from '../../src/workrail/bundle';

/** What a crash left lies there no longer than this. */
const LEFT_MS = 24 * 60 * 60 * 1000;

/** Receive a body, do something with it, and throw it away. */
export async function received<T>(
  home: Home,
  body: Readable,
  limitBytes: number,
  work: (source: BundleSource) => Promise<Result<T, RailyardError>>,
): Promise<Result<T, RailyardError>> {
  const folder = home.path('imports');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweep(folder);
  const path = join(folder, randomUUID());
  try {
    const kept = await keep(body, path, limitBytes);
    // Without an encoding a read stream yields bytes.
    return kept.isErr()
      ? err(kept.error)
      : await work(() => createReadStream(path) as AsyncIterable<Uint8Array>);
  } finally {
    await rm(path, { force: true });
  }
}

async function keep(body: Readable, path: string, limitBytes: number): Promise<Result<void, RailyardError>> {
  let bytes = 0;
  const meter = new Transform({
    transform(piece: Uint8Array, _encoding, next) {
      bytes += piece.length;
      if (bytes > limitBytes) next(new TooLarge());
      else next(null, piece);
    },
  });
  try {
    await pipeline(body, meter, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return ok();
  } catch (error) {
    if (error instanceof TooLarge) return err(tooLarge(limitBytes));
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
      return err(
        problem('STORE_FULL', 'There is no room for the bundle.', { suggestion: 'Make room, then retry.' }),
      );
    }
    if (hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET')) {
      return err(problem('BUNDLE_INTEGRITY_FAILED', 'The bundle was cut off on its way.'));
    }
    throw error;
  }
}

class TooLarge extends Error {}

/** More than may be sent. */
export const tooLarge = (limitBytes: number): RailyardError =>
  problem('BODY_TOO_LARGE', `The bundle has more than ${limitBytes} bytes.`, {
    suggestion: 'Raise http.import_limit_bytes, or import it by `railyard import` on the machine itself.',
  });

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}
