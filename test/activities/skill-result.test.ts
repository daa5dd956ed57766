import { describe, expect, it } from '@jest/globals';
import { parseResult } from '../../activities/skill-result';
import { scene } from './scene';

const errorOf = (value: unknown, states: readonly string[] = []): string =>
  parseResult(value, states)._unsafeUnwrapErr();

describe('the result of a skill', () => {
  it('may leave out what it has nothing to say about, and say more than is asked', () => {
    expect(parseResult({ extra: 1 }, [])._unsafeUnwrap()).toEqual({ metrics: {}, notes: '', records: [] });
  });

  it('keeps metrics as they came, numbers or not', () => {
    const metrics = { a: 1, b: 'high', c: null, d: { e: [1] } };
    expect(parseResult({ metrics }, [])._unsafeUnwrap().metrics).toEqual(metrics);
  });

  it.each<[string, unknown]>([
    ['the result: ', null],
    ['the result: ', 'done'],
    ['the result: ', [1]],
    ['metrics: ', { metrics: [1] }],
    ['notes: ', { notes: 5 }],
    ['records.0.state: ', { records: [{ id: 'a' }] }],
    ['records.0.id: ', { records: [{ id: 'a'.repeat(257), state: 'x' }] }],
  ])('of the wrong shape is told where: %s', (where, value) => {
    expect(errorOf(value)).toContain(`has the wrong shape (${where}`);
  });

  it('has records only in the states of its block', () => {
    const records = [
      { id: 'a', state: 'new' },
      { id: 'b', state: 'gone' },
    ];
    expect(parseResult({ records }, ['new', 'gone'])._unsafeUnwrap().records).toEqual(records);
    expect(parseResult({ records }, []).isOk()).toBe(true);
    expect(errorOf({ records }, ['new', 'old'])).toBe(
      'The record "b" is in the state "gone", which is none of: new, old.',
    );
  });

  it('is of bounded size', () => {
    expect(errorOf({ metrics: { a: 'ß'.repeat(9_000) } })).toContain('18008 bytes of metrics; at most 16384');
    const records = (n: number): object => ({
      records: Array.from({ length: n }, () => ({ id: 'a', state: 'x' })),
    });
    expect(parseResult(records(1_000), []).isOk()).toBe(true);
    expect(errorOf(records(1_001))).toContain('1001 records; at most 1000');
  });

  it('is JSON that can be written down again', () => {
    expect(errorOf({ metrics: { a: '\ud800' } })).toContain('lone surrogate at /metrics/a');
  });

  it.each<[string, object]>([
    ['wrong shape', { metrics: 3 }],
    ['none of: new, done', { records: [{ id: 'a', state: 'odd' }] }],
  ])('that breaks the contract is a failed attempt: %s', async (message, result) => {
    const config = { result: JSON.parse(JSON.stringify(result)) as Record<string, unknown> };
    const change = { inputs: { config }, outputs: {}, record_state: { states: ['new', 'done'] } };
    const outcome = await scene('reports', change).run();
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'error' });
    expect(outcome).toHaveProperty('error', expect.stringContaining(message));
  });

  it('brings its records to the outcome', async () => {
    const records = [{ id: 'a', state: 'done' }];
    const change = { inputs: { config: { result: { records } } }, outputs: {} };
    expect(await scene('reports', change).run()).toMatchObject({
      kind: 'succeeded',
      recordCounts: { done: 1 },
    });
  });
});
