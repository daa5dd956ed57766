import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalJson,
  digestOf,
  isSha256Digest,
  MAX_DEPTH,
  sha256Digest,
  sha256Hex,
} from '../../src/canonical';

const json = () => fc.jsonValue({ noUnicodeString: false }).filter((value) => canonicalJson(value).isOk());

/** The same value with the keys of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

describe('canonical JSON', () => {
  it('reads back as the same value', () => {
    fc.assert(
      fc.property(json(), (value) => {
        const text = canonicalJson(value)._unsafeUnwrap();
        // -0 is written 0, so both sides go through JSON text once.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(canonicalJson(reversed(value))).toEqual(canonicalJson(value));
        expect(digestOf(reversed(value))).toEqual(digestOf(value));
      }),
    );
  });

  it.each([
    [{ b: 2, a: { d: 4, c: 3 } }, '{"a":{"c":3,"d":4},"b":2}'],
    [[3, 1, 2], '[3,1,2]'],
    [{ n: -0 }, '{"n":0}'],
    [[0, 1e21, 1e-7, 5e-324, 0.1], '[0,1e+21,1e-7,5e-324,0.1]'],
    [{ '\ufb33': 1, '\u{1f600}': 2 }, '{"\u{1f600}":2,"\ufb33":1}'],
    ['\u0000\n"\\/\u2028', '"\\u0000\\n\\"\\\\/\u2028"'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])('writes %j as %s', (value, text) => {
    expect(canonicalJson(value)._unsafeUnwrap()).toBe(text);
  });

  it.each<[string, unknown, string]>([
    ['NaN', { a: [1, NaN] }, '/a/1'],
    ['Infinity', -Infinity, ''],
    ['an undefined member', { a: 1, 'b/c': undefined }, '/b~1c'],
    ['an undefined item', [undefined], '/0'],
    ['a hole', new Array(2), '/0'],
    ['a function', { f: () => 1 }, '/f'],
    ['a function called toJSON', { toJSON: () => 1 }, '/toJSON'],
    ['a symbol', [Symbol('s')], '/0'],
    ['a symbol for a key', { a: { [Symbol('s')]: 1 } }, '/a'],
    ['a bigint', 1n, ''],
    ['a Date', { at: new Date(0) }, '/at'],
    ['a Map', new Map(), ''],
    ['a lone high surrogate', ['\ud800'], '/0'],
    ['a lone low surrogate', ['x\udc00y'], '/0'],
    ['a lone surrogate in a key', { a: { '\ud800': 1 } }, '/a'],
  ])('refuses %s and says where', (_name, value, pointer) => {
    expect(canonicalJson(value)._unsafeUnwrapErr().pointer).toBe(pointer);
  });

  it('refuses what is nested too deep, circles included, instead of ending the stack', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    for (const value of [circle, deep]) {
      expect(canonicalJson(value)._unsafeUnwrapErr().reason).toContain(String(MAX_DEPTH));
    }
  });
});

describe('digests', () => {
  it('are sha256: and 64 hex digits of the canonical text', () => {
    const digest = digestOf({ b: 2, a: { d: 4, c: 3 } })._unsafeUnwrap();
    expect(digest).toBe('sha256:c461c47a913352f1a21e3f2ea49e1fd34754c0dc12cb7366e4636d5e186c6c6e');
    expect(isSha256Digest(digest)).toBe(true);
    expect(isSha256Digest(digest.toUpperCase())).toBe(false);
  });

  it('hash a text as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(sha256Digest(text)).toBe(`sha256:${sha256Hex(Buffer.from(text, 'utf8'))}`);
      }),
    );
  });
});
