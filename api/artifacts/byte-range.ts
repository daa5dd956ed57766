/** The `Range` header (RFC 9110, section 14), as far as one range of bytes. */

/** What a request wants of a body: all of it, a part (both ends included), or something it does not have. */
export type Wanted =
  | { readonly kind: 'all' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const ALL: Wanted = { kind: 'all' };

/** Read a `Range` header. What is no single range of bytes is no range: then everything is sent, as the standard allows. */
export function wantedRange(header: string | undefined, size: number): Wanted {
  const match = /^bytes=(\d*)-(\d*)$/i.exec((header ?? '').replaceAll(' ', ''));
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return ALL;
  if (from === '') return part(Math.max(0, size - Number(to)), size - 1, size);
  const first = Number(from);
  const last = to === '' ? Infinity : Number(to);
  // The standard calls such a header invalid, and an invalid one is ignored.
  if (last < first) return ALL;
  return part(first, Math.min(last, size - 1), size);
}

function part(first: number, last: number, size: number): Wanted {
  return first < size && first <= last ? { kind: 'part', first, last } : { kind: 'unsatisfiable' };
}

/** Some bytes of a stream; the stream is closed as soon as they have come. */
export async function* slice(
  source: AsyncIterable<Uint8Array>,
  first: number,
  last: number,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of source) {
    const piece = chunk.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at));
    if (piece.length > 0) yield piece;
    at += chunk.length;
    if (at > last) return;
  }
}
