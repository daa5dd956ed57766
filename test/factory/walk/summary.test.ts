import { describe, expect, test } from '@jest/globals';
import { summarise, waitingFor } from '../../../src/factory/walk';
import { block, failed, gate, plan, Walker } from './fixtures';

test('a summary counts blocks by status, and by group as the document shows it', () => {
  const walk = new Walker(
    plan(
      [
        ...['a', 'b', 'c', 'd', 'e'].map((id) => block(id, { group: 'L2-extractors', maxRetries: 0 })),
        block('z', { needs: ['a'], group: 'L3' }),
      ],
      { 'L2-extractors': 4 },
    ),
  );
  for (const id of ['b', 'c', 'd']) walk.finish(id);
  walk.finish('e', failed());
  const { groups, counts } = summarise(walk.plan, walk.state);
  expect(groups).toEqual([
    {
      name: 'L2-extractors',
      done: 3,
      failed: 1,
      running: 1,
      waiting: 0,
      total: 5,
      text: 'L2-extractors: 3/5 done',
    },
    { name: 'L3', done: 0, failed: 0, running: 0, waiting: 0, total: 1, text: 'L3: 0/1 done' },
  ]);
  expect(counts).toEqual({ pending: 0, ready: 0, running: 1, done: 3, failed: 1, blocked: 1, waiting: 0 });
});

describe('why a block is not running', () => {
  const why = (walk: Walker, id: string) => waitingFor(walk.plan, walk.state, id);

  test('it waits for others', () => {
    const walk = new Walker(plan([block('a'), block('b'), block('c', { needs: ['a', 'b'] })]));
    expect(why(walk, 'c')).toBe('waits for a, b');
    walk.finish('a');
    expect(why(walk, 'c')).toBe('waits for b');
    expect(why(walk, 'a')).toBeNull();
    expect(why(walk, 'b')).toBeNull();
    expect(why(walk, 'nobody')).toBeNull();
  });

  test('its gate is open, for whom, how far, and how late', () => {
    const rule = gate({ approvers: ['expert', 'tech_lead'], quorum: 2, timeoutMs: 1000 });
    const walk = new Walker(plan([block('a', { before: rule })]));
    walk.decide();
    walk.timeOut('a', 'before');
    expect(why(walk, 'a')).toBe(
      'gate before it is open since 2026-01-01T12:00:00.000Z, for expert, tech_lead, 1 of 2 approvals, ' +
        'overdue since 2026-01-01T12:00:01.000Z',
    );
  });

  test('its group is full', () => {
    const walk = new Walker(plan([block('a', { group: 'g' }), block('b', { group: 'g' })], { g: 1 }));
    expect(why(walk, 'b')).toBe('group g is full: 1 running of 1');
  });

  test('the run is paused or cancelled', () => {
    const walk = new Walker(plan([block('a'), block('b', { needs: ['a'] }), block('c', { needs: ['b'] })]));
    walk.send({ type: 'pause', by: 'p' });
    walk.finish('a');
    expect(why(walk, 'b')).toBe('the run is paused');
    expect(why(walk, 'c')).toBe('waits for b');
    walk.send({ type: 'cancel', by: 'p' });
    expect(why(walk, 'b')).toBe('the run is cancelled');
    expect(why(walk, 'c')).toBe('the run is cancelled');
  });

  test('something upstream has failed, near or far', () => {
    const walk = new Walker(
      plan([block('a', { maxRetries: 0 }), block('b', { needs: ['a'] }), block('c', { needs: ['b'] })]),
    );
    walk.finish('a', failed());
    expect(why(walk, 'a')).toBe('failed: boom (attempt 1 of 1)');
    expect(why(walk, 'c')).toBe('upstream a failed');
  });

  test('an artifact it needs was not left', () => {
    const walk = new Walker(plan([block('a'), block('b', { needs: ['a'] })]));
    walk.finish('a', { kind: 'succeeded', artifacts: [], metrics: {}, notes: '', recordCounts: {} });
    expect(why(walk, 'b')).toBe('needs the artifact out, which a did not leave');
  });
});
