/** A bundle as the body of an answer: written as fast as it is read, and not begun before there is something to say. */
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type Write } from '../../src/workrail/bundle';

/**
 * Begin to write. What is wrong before the first piece is an answer; after it the body breaks off, and the bundle, which
 * has no integrity then, is one that nobody imports.
 */
export async function bundleStream(
  write: (into: Write) => Promise<Result<unknown, RailyardError>>,
  log: (line: string) => void,
): Promise<Result<Readable, RailyardError>> {
  const body = new PassThrough();
  const begun = new Promise<null>((resolve) => body.once('data-begins', () => resolve(null)));
  const done = write(async (text) => {
    body.emit('data-begins');
    if (body.destroyed) throw new Error('The reader has gone');
    if (!body.write(text)) await Promise.race([once(body, 'drain'), gone(body)]);
  });
  const end = done.then(
    (result) => {
      if (result.isOk()) return void body.end();
      log(`An export broke off: ${result.error.message}`);
      body.destroy(new Error(result.error.message));
    },
    (error: unknown) => {
      body.destroy(error instanceof Error ? error : new Error(String(error)));
    },
  );
  const first = await Promise.race([begun, done.catch(() => null)]);
  if (first?.isErr()) {
    await end;
    return first.map(() => body);
  }
  return ok(body);
}

/** Rejects when the reader goes away. */
async function gone(body: PassThrough): Promise<never> {
  await once(body, 'close');
  throw new Error('The reader has gone');
}
