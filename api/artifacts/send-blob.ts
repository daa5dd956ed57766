/** A blob as an answer: whole or in part, as what it safely is, and only where the caller does not have it. */
import { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type ContentStore } from '../../src/sandbox';
import { refuse } from '../answers';
import { type Blob } from './artifact-shelf';
import { slice, wantedRange, type Wanted } from './byte-range';
import { disposition, mediaTypeOf } from './media-type';
import { noSuchRange } from './refusals';
import { etagOf, isKnown, isSame } from './validators';

/** How long an answer may be kept: for ever where the address names the content, else it is asked again each time. */
export const CACHE = { forever: 'private, max-age=31536000, immutable', asked: 'private, no-cache' };

/** Headers of everything that a skill wrote. */
export function guard(reply: FastifyReply, digest: string, cache: string): void {
  void reply.headers({
    etag: etagOf(digest),
    'cache-control': cache,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  });
}

export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ContentStore,
  blob: Blob,
  cache: string,
): Promise<FastifyReply> {
  const { digest, bytes, format, path } = blob;
  const etag = etagOf(digest);
  guard(reply, digest, cache);
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const wanted = rangeOf(request, etag, bytes);
  if (wanted.kind === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${bytes}`);
    return refuse(reply, noSuchRange(bytes));
  }
  const { first, last } = wanted.kind === 'part' ? wanted : { first: 0, last: bytes - 1 };
  // Nobody reads the body of an answer to HEAD, and Fastify would read all of it to throw it away.
  const body =
    request.method === 'HEAD' ? ok(Readable.from([])) : await open(store, digest, wanted, first, last);
  if (body.isErr()) return refuse(reply, body.error);
  if (wanted.kind === 'part') {
    void reply.code(206).header('content-range', `bytes ${first}-${last}/${bytes}`);
  }
  const type = mediaTypeOf(format, path);
  void reply.headers({
    'accept-ranges': 'bytes',
    'content-type': type.contentType,
    'content-length': last - first + 1,
    'content-disposition': disposition(type, path),
  });
  return reply.send(body.value);
}

async function open(
  store: ContentStore,
  digest: string,
  wanted: Wanted,
  first: number,
  last: number,
): Promise<Result<Readable, RailyardError>> {
  const read = await store.read(digest);
  return read.map(({ stream }) =>
    wanted.kind === 'part' ? Readable.from(slice(stream, first, last)) : stream,
  );
}

function rangeOf(request: FastifyRequest, etag: string, bytes: number): Wanted {
  const ifRange = request.headers['if-range'];
  if (!isSame(typeof ifRange === 'string' ? ifRange : undefined, etag)) return { kind: 'all' };
  return wantedRange(request.headers.range, bytes);
}
