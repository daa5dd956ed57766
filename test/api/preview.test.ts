import { describe, expect, it } from '@jest/globals';
import { readable } from '../../api/inbox/preview';

describe('a preview', () => {
  it('leaves out the part of a character where it is cut, and only there', () => {
    const cut = Buffer.from('aé').subarray(0, 2);
    expect(readable(cut, true)).toBe('a');
    expect(readable(cut, false)).toBeNull();
  });

  it('is nothing where the bytes are not text', () => {
    expect(readable(Buffer.from([0xff, 0xfe, 0x41]), true)).toBeNull();
    expect(readable(Buffer.from('a\0b'), false)).toBeNull();
  });

  it('cannot move a cursor, nor turn what is read', () => {
    expect(readable(Buffer.from('a\u001b[2J\u202eb\tc\r\n\u0085'), false)).toBe(
      'a\ufffd[2J\ufffdb\tc\r\n\ufffd',
    );
  });
});
