import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLocks, testsByLock } from '../../scripts/lock-coverage';

const ROOT = join(__dirname, '..', '..');
const locks = readLocks(ROOT).map(({ id }) => id);
const tests = testsByLock(ROOT);

/** Locks of parts that are still to come. It only ever gets shorter: a lock that has a test must leave it. */
const NOT_YET: readonly string[] = [
  // The MCP server
  'error-no-throw-across-mcp',
];

describe('the locks', () => {
  it.each(locks.filter((id) => !NOT_YET.includes(id)))('%s has a test that names it', (id) => {
    expect(tests.get(id) ?? []).not.toEqual([]);
  });

  it('leave the list of those to come as soon as they have a test', () => {
    expect(NOT_YET.filter((id) => tests.has(id))).toEqual([]);
  });

  it('are the ones that tests and the list name: no id is misspelt', () => {
    const known = new Set(locks);
    expect([...tests.keys(), ...NOT_YET].filter((id) => !known.has(id))).toEqual([]);
  });
});
