import { open } from 'node:fs/promises';
import { type Readable } from 'node:stream';
import { type Secrets } from './secrets';

/** So much of a log's end is kept in memory, for the error text. */
const TAIL_BYTES = 4_096;

/**
 * Keep what a stream says in a file, its beginning up to `maxBytes`, without the values of secrets. Reads the stream to
 * its end whatever its size, so that the skill never waits for us. Answers with the end of what was said.
 */
export async function keepLog(
  stream: Readable,
  path: string,
  maxBytes: number,
  secrets: Secrets,
): Promise<Buffer> {
  const file = await open(path, 'w', 0o600);
  const filter = secrets.filter();
  let tail = Buffer.alloc(0);
  let written = 0;
  let dropped = 0;
  const keep = async (bytes: Buffer): Promise<void> => {
    tail = Buffer.concat([tail, bytes]).subarray(-TAIL_BYTES);
    const fits = bytes.subarray(0, maxBytes - written);
    await file.writeFile(fits);
    written += fits.length;
    dropped += bytes.length - fits.length;
  };
  try {
    for await (const chunk of piecesOf(stream)) await keep(filter.next(chunk));
    await keep(filter.end());
    if (dropped > 0) await file.writeFile(`\n[${dropped} more bytes were not kept]\n`);
    return tail;
  } finally {
    await file.close();
  }
}

/** The stream's pieces; a stream that we closed ourselves ends like any other. */
async function* piecesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    // A pipe without an encoding gives buffers.
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    if (!stream.destroyed) throw error;
  }
}
