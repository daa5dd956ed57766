import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLocks, testsByLock } from '../../scripts/lock-coverage';

const ROOT = join(__dirname, '..', '..');
const locks = readLocks(ROOT).map(({ id }) => id);
const tests = testsByLock(ROOT);

describe('the locks', () => {
  it.each(locks)('%s has a test that names it', (id) => {
    expect(tests.get(id) ?? []).not.toEqual([]);
  });

  it('are the ones that tests name: no id is misspelt', () => {
    const known = new Set(locks);
    expect([...tests.keys()].filter((id) => !known.has(id))).toEqual([]);
  });
});
