import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { slice, wantedRange } from '../../../api/artifacts/byte-range';
import { disposition, mediaTypeOf } from '../../../api/artifacts/media-type';
import { etagOf, isKnown, isSame } from '../../../api/artifacts/validators';

describe('a Range header', () => {
  it.each([
    ['bytes=0-4', 10, { kind: 'part', first: 0, last: 4 }],
    ['bytes=5-', 10, { kind: 'part', first: 5, last: 9 }],
    ['bytes=-3', 10, { kind: 'part', first: 7, last: 9 }],
    ['bytes=-30', 10, { kind: 'part', first: 0, last: 9 }],
    ['bytes=0-999', 10, { kind: 'part', first: 0, last: 9 }],
    ['bytes=10-', 10, { kind: 'unsatisfiable' }],
    ['bytes=-0', 10, { kind: 'unsatisfiable' }],
    ['bytes=0-', 0, { kind: 'unsatisfiable' }],
    ['bytes=5-2', 10, { kind: 'all' }],
    ['bytes=0-1,4-5', 10, { kind: 'all' }],
    ['lines=0-1', 10, { kind: 'all' }],
    ['bytes=-', 10, { kind: 'all' }],
    [undefined, 10, { kind: 'all' }],
  ])('%s of %i bytes is understood', (header, size, wanted) => {
    expect(wantedRange(header, size)).toEqual(wanted);
  });
});

describe('a slice of a stream', () => {
  it('is what the same slice of its bytes is, however they come', async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(40), fc.nat(40), async (pieces, first, more) => {
        const whole = Buffer.concat(pieces);
        const got: Uint8Array[] = [];
        for await (const piece of slice(inTurn(pieces), first, first + more)) got.push(piece);
        expect(Buffer.concat(got)).toEqual(whole.subarray(first, first + more + 1));
      }),
    );
  });
});

async function* inTurn(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

describe('an artifact', () => {
  it.each([
    ['markdown', 'a.md', 'text/plain; charset=utf-8'],
    ['json', 'a.json', 'application/json; charset=utf-8'],
    ['text', 'a.html', 'text/plain; charset=utf-8'],
    ['html', 'a.html', 'application/octet-stream'],
    ['svg', 'a.svg', 'application/octet-stream'],
    ['xml', 'a.xml', 'application/octet-stream'],
    ['directory', 'a', 'application/octet-stream'],
    ['file', 'a/b.MD', 'text/plain; charset=utf-8'],
    ['file', 'a/b.html', 'application/octet-stream'],
    ['file', 'md', 'application/octet-stream'],
    ['', 'sha256-00.md', 'application/octet-stream'],
  ])('of the format "%s" at %s goes out as %s', (format, path, contentType) => {
    const type = mediaTypeOf(format, path);
    expect(type.contentType).toBe(contentType);
    expect(type.inline).toBe(contentType !== 'application/octet-stream');
  });

  it('has a name that cannot leave its header', () => {
    const name = disposition({ contentType: '', inline: false }, 'x/a "b"\r\nSet-Cookie: é\ud800.html');
    expect(name).toBe(
      'attachment; filename="a _b___Set-Cookie_ __.html"; ' +
        "filename*=UTF-8''a%20%22b%22%0D%0ASet-Cookie%3A%20%C3%A9%EF%BF%BD.html",
    );
  });

  it('is not sent again to a caller that has it, weakly or among others', () => {
    const etag = etagOf('sha256:00');
    expect(['"x", "sha256:00"', 'W/"sha256:00"', '*'].map((one) => isKnown(one, etag))).toEqual([
      true,
      true,
      true,
    ]);
    expect([undefined, '', '"sha256:01"'].map((one) => isKnown(one, etag))).toEqual([false, false, false]);
    expect([undefined, etag, `W/${etag}`].map((one) => isSame(one, etag))).toEqual([true, true, false]);
  });
});
