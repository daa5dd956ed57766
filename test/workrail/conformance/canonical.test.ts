import { describe, expect, it } from '@jest/globals';
import { canonicalJson, digestOf } from '../../../src/canonical';
import { readCases, sorted, type Compared } from './vectors';

interface Hashed {
  readonly id: string;
  readonly input?: unknown;
  readonly inputJson?: string;
  readonly canonical?: string;
  readonly sha256?: string;
  readonly error?: string;
}

const read = (name: string): readonly Hashed[] => readCases(name) as readonly Hashed[];
const text = (value: unknown): string => canonicalJson(value).unwrapOr('refused');

function compared(one: Hashed): Compared {
  const title = one.id;
  if (one.error !== undefined) {
    // The data are JSON and cannot hold what is meant.
    return {
      title,
      ours: () => [NaN, Infinity, -Infinity].map(text),
      theirs: ['refused', 'refused', 'refused'],
    };
  }
  if (one.canonical === undefined) {
    return {
      title,
      ours: () => [{ a: 1, b: undefined, c: 3 }, [1, undefined, 3]].map(text),
      theirs: ['{"a":1,"c":3}', '[1,null,3]'],
    };
  }
  const input: unknown = one.inputJson === undefined ? one.input : JSON.parse(one.inputJson);
  return {
    title,
    ours: () => [
      text(input),
      one.sha256 === undefined ? undefined : digestOf(input).map(String).unwrapOr('refused'),
    ],
    theirs: [one.canonical, one.sha256],
  };
}

describe('canonical JSON as the reference writes it', () => {
  const { agreeing, differing, unknown } = sorted(read('jcs').map(compared), {
    'undefined-members': 'undefined is no JSON: it is refused, never dropped or turned into null',
    escapes: 'the case has a lone surrogate, which RFC 8785 refuses',
  });

  it.each(agreeing)('[jcs-rfc-8785] has the same text and digest: %s', (_title, one) => {
    expect(one.ours()).toEqual(one.theirs);
  });

  it.each(differing)('differs in %s: %s', (_title, _reason, one) => {
    expect(one.ours()).not.toEqual(one.theirs);
  });

  it('has every difference in its data', () => {
    expect(unknown).toEqual([]);
  });
});

describe('content addresses as the reference makes them', () => {
  it.each(read('hashes').map((one): [string, Compared] => [one.id, compared(one)]))(
    '[workflow-hash-jcs-sha256] are the digest of the canonical text: %s',
    (_title, one) => {
      expect(one.ours()).toEqual(one.theirs);
    },
  );
});
