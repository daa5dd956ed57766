import { describe, expect, it } from '@jest/globals';
import { verdictOf } from './bundles';
import vectors from '../../vectors/bundles.json';

const NO_WORKFLOW = 'its pinned workflow is no compiled workflow, and hashes to something else than its name';
const NOT_ATTESTED = 'its manifest attests only the first of its events';

/** Where our verdict is another one, by the place of the case: the verdict, and why ours is right. */
const DIFFERENCES: Readonly<Record<number, readonly [string, string]>> = {
  0: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  1: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  2: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  3: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  4: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  5: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  6: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  7: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  18: ['BUNDLE_MANIFEST_ORDER_INVALID', NOT_ATTESTED],
  21: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  22: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
  23: ['BUNDLE_MANIFEST_ORDER_INVALID', NOT_ATTESTED],
  24: ['BUNDLE_INVALID_FORMAT', NO_WORKFLOW],
};

describe('the bundle vectors', () => {
  it.each(vectors.cases.map(({ test, bundle, verdict }, i) => ({ i, test, bundle, verdict })))(
    '$i: $test',
    async ({ i, bundle, verdict }) => {
      const [expected] = DIFFERENCES[i] ?? [verdict];
      expect(await verdictOf(bundle)).toBe(expected);
    },
  );

  it('differ where the list says so, and only by being refused', () => {
    for (const [i, [ours]] of Object.entries(DIFFERENCES)) {
      expect(ours).not.toBe(vectors.cases[Number(i)]?.verdict);
      expect(ours).not.toBe('OK');
    }
  });
});
