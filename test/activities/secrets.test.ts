import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Secrets } from '../../activities/secrets';

describe('secrets', () => {
  const secrets = new Secrets({ KEY: 'abc-ß-def', LONGER: 'xabc-ß-defx', SHORT: 'on' });

  it('are replaced by the names of their variables, the longest first', () => {
    expect(secrets.hide('1 abc-ß-def 2 xabc-ß-defx 3 on')).toBe('1 [KEY] 2 [LONGER] 3 on');
  });

  it('are found in every string of a value, and the rest stays as it is', () => {
    const value = { 'abc-ß-def': ['=abc-ß-def', 1, null, true, { deep: 'abc-ß-def' }], n: 100 };
    expect(secrets.hideIn(value)).toEqual({ '[KEY]': ['=[KEY]', 1, null, true, { deep: '[KEY]' }], n: 100 });
  });

  it('are found in a stream, however it is cut', () => {
    const piece = fc.constantFrom('abc-ß-def', 'xabc-ß-defx', 'abc-', 'ß', 'def', '\n', '😀', 'plain text ');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 60 }),
        (pieces, cuts) => {
          const bytes = Buffer.from(pieces.join(''));
          const filter = secrets.filter();
          const out: Buffer[] = [];
          let at = 0;
          for (const cut of cuts) {
            out.push(filter.next(bytes.subarray(at, at + cut)));
            at += cut;
          }
          out.push(filter.next(bytes.subarray(at)), filter.end());
          const shown = Buffer.concat(out).toString();
          expect(shown).not.toContain('abc-ß-def');
          // Nothing but secrets was changed: with the names taken out, the plain pieces are all there.
          const plain = (all: string): number => all.split('plain text ').length;
          expect(plain(shown)).toBe(plain(pieces.join('')));
        },
      ),
    );
  });

  it('that are none change nothing', () => {
    const filter = new Secrets({}).filter();
    const bytes = Buffer.from([0xff, 0x00, 0xc3]);
    expect(Buffer.concat([filter.next(bytes), filter.end()])).toEqual(bytes);
  });
});
