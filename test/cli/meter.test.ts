import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../cli/meter';

/** What a terminal, or a file, gets of a meter. */
function shown(isTTY: boolean, use: (meter: Meter) => void): string {
  const out = Object.assign(new PassThrough(), { isTTY });
  use(new Meter('sessions', out));
  return String(out.read() ?? '');
}

describe('a meter', () => {
  it('shows a line that is gone in the end', () => {
    const text = shown(true, (meter) => {
      meter.at(3, 12);
      meter.end();
    });
    expect(text).toBe('\r\u001b[Ksessions: 3 of 12\r\u001b[K');
  });

  it('does not show every step', () => {
    const text = shown(true, (meter) => {
      for (let n = 0; n < 1000; n += 1) meter.at(n);
    });
    expect(text).toMatch(/^\r\u001b\[Ksessions: 0/);
    expect(text.length).toBeLessThan(200);
  });

  it('shows nothing where no person watches', () => {
    const text = shown(false, (meter) => {
      meter.at(1, 2);
      meter.end();
    });
    expect(text).toBe('');
  });
});
