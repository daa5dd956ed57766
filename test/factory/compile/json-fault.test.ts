import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findJsonFault, placeOf } from '../../../src/factory/compile/json-fault';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the place where JSON goes wrong', () => {
  it.each([
    ['', 0, 'ends too early'],
    ['{"a": }', 6, 'expected a value'],
    ['{"a": 1,}', 8, 'key in double quotes'],
    ['[1,]', 3, 'expected a value'],
    ['[1 2]', 3, 'expected "," or "]"'],
    ['{"a" 1}', 5, 'expected ":"'],
    ["{'a': 1}", 1, 'unexpected "\'"'],
    ['{"a": "x\n"}', 6, 'not closed'],
    ['[01]', 2, 'expected "," or "]"'],
    ['{} x', 3, 'unexpected "x"'],
    ['{} {}', 3, 'after the end'],
    ['[1, /* no */ 2]', 4, 'no comments'],
    ['{"a": {"b": 1, "\\u0062": 2}}', 15, 'stands twice'],
  ])('of %j is %d', (text, offset, reason) => {
    expect(findJsonFault(text)).toEqual({ offset, reason: expect.stringContaining(reason) });
  });

  it('counts lines and columns from one', () => {
    expect(placeOf('ab\r\ncd\nef', 8)).toEqual({ line: 3, column: 2 });
  });

  it('is found exactly where JSON.parse fails, or a key stands twice', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\\',
      '"',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(pieces).map((all) => all.join('')),
          mutilated(),
        ),
        (text) => {
          const fault = findJsonFault(text);
          if (fault?.reason.includes('twice')) return;
          expect([text, fault === null]).toEqual([text, parses(text)]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** Good JSON with one character gone. */
const mutilated = () =>
  fc
    .tuple(fc.json(), fc.nat())
    .map(([text, at]) => text.slice(0, at % text.length) + text.slice((at % text.length) + 1));
