import { describe, expect, test } from '@jest/globals';
import type { BlockStatus } from '../../../src/factory/run-state';
import { transition, TRANSITIONS } from '../../../src/factory/walk';

const STATUSES: readonly BlockStatus[] = [
  'pending',
  'ready',
  'running',
  'done',
  'failed',
  'blocked',
  'waiting',
];

/** Written out once more, by hand: from each state, the states it may go to. */
const ALLOWED: Readonly<Record<BlockStatus, readonly BlockStatus[]>> = {
  pending: ['ready', 'blocked', 'waiting'],
  blocked: ['ready', 'pending', 'waiting'],
  ready: ['running'],
  running: ['done', 'failed'],
  done: ['waiting', 'pending'],
  waiting: ['done', 'pending', 'ready', 'failed'],
  failed: ['pending', 'done'],
};

describe('the transition table', () => {
  const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

  test.each(pairs)('%s to %s is allowed or throws, as the table says', (from, to) => {
    if (ALLOWED[from].includes(to)) expect(transition(from, to)).toBe(to);
    else expect(() => transition(from, to)).toThrow('Bug');
  });

  test('holds the eleven rows of the document', () => {
    expect(TRANSITIONS.filter(({ source }) => source === 'document')).toHaveLength(11);
  });

  test('gives a reason in words for every row', () => {
    for (const { when } of TRANSITIONS) expect(when).toMatch(/\w+ \w+/);
  });
});
