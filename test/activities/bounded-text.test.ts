import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { head, tail } from '../../activities/bounded-text';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const limit = fc.integer({ min: 4, max: 60 });

describe('a bounded text', () => {
  it('is the beginning of the text, within its bytes, in whole characters', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        const cut = head(whole, max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        if (cut !== whole) expect(whole.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
        else expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(max);
      }),
    );
  });

  it('is the end of the bytes, likewise', () => {
    fc.assert(
      fc.property(text, limit, (whole, max) => {
        const cut = tail(Buffer.from(whole), max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        if (cut !== whole) expect(whole.endsWith(cut.slice(1)) && cut.startsWith('…')).toBe(true);
        else expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(max);
      }),
    );
  });

  it('has no half characters, even where the text has', () => {
    expect(head('a\ud83d', 10)).toBe('a\ufffd');
    // The last byte of a character whose others were cut off long ago.
    expect(tail(Buffer.from([0x80, 0x61]), 10)).toBe('\ufffda');
  });
});
