import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type RunView } from '../../../api/run-view';
import { changesBetween } from '../../../api/sse/difference';
import { anyView, block, gate, heard, run } from './views';

const types = (...views: Parameters<typeof changesBetween>): string[] =>
  changesBetween(...views).map(({ type }) => type);

const copied = (view: RunView): RunView => JSON.parse(JSON.stringify(view)) as RunView;

describe('the difference of two views', () => {
  it('makes the second of the first, whatever they are', () => {
    fc.assert(
      fc.property(anyView, anyView, (before, after) => {
        expect(changesBetween(before, after).reduce(heard, before)).toEqual(after);
      }),
    );
  });

  it('is heard twice without harm', () => {
    fc.assert(
      fc.property(anyView, anyView, (before, after) => {
        const changes = changesBetween(before, after);
        expect([...changes, ...changes].reduce(heard, before)).toEqual(after);
      }),
    );
  });

  it('is nothing where nothing changed', () => {
    fc.assert(fc.property(anyView, (view) => changesBetween(view, copied(view)).length === 0));
  });

  it('names the block that changed, and no other', () => {
    const before = run([block('a'), block('b')]);
    const after = run([block('a'), block('b', { status: 'running' })]);
    expect(changesBetween(before, after)).toEqual([
      { type: 'block', data: { run_id: 'r', ...block('b', { status: 'running' }) } },
    ]);
  });

  it('tells the blocks and gates before the end of the run', () => {
    const before = run([block('a', { status: 'waiting' })], { gates: [gate('a', 1)] });
    const after = run([block('a', { status: 'done' })], {
      gates: [gate('a', 1, { overdue: true }), gate('a', 2)],
      status: 'completed',
    });
    expect(types(before, after)).toEqual(['block', 'gate', 'gate', 'run']);
  });

  it('is told from the beginning where blocks or openings are no longer the same', () => {
    expect(types(run([block('a')]), run([block('b')]))).toEqual(['snapshot']);
    expect(types(run([], { gates: [gate('a', 1)] }), run([]))).toEqual(['snapshot']);
  });
});
