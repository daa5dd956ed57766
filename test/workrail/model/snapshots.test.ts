import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  LoopId,
  parseStepInstanceKey,
  readSnapshot,
  StepId,
  stepInstanceKey,
} from '../../../src/workrail/model';

const running = (more: object = {}): object => ({
  kind: 'running',
  completed: { kind: 'set', values: ['a', 'b'] },
  loopStack: [],
  pending: { kind: 'some', step: { stepId: 'c', loopPath: [] } },
  ...more,
});
const isRead = (engineState: unknown, more: object = {}): boolean =>
  readSnapshot({ v: 1, kind: 'execution_snapshot', enginePayload: { v: 1, engineState, ...more } }).isOk();
const loop = (loopId: string, iteration = 0) => ({ loopId, iteration, bodyIndex: 0 });

describe('a snapshot', () => {
  it('[snapshot-discriminated-union] is init, running or complete, and no flag says so', () => {
    expect(
      [{ kind: 'init' }, running(), { kind: 'complete' }, { kind: 'paused' }, { isComplete: true }].map(
        (one) => isRead(one),
      ),
    ).toEqual([true, true, true, false, false]);
  });

  it('[snapshot-pending-explicit] says whether a step is pending, and never by null', () => {
    const pending = [{ kind: 'none' }, null, undefined, { kind: 'some' }, { stepId: 'c', loopPath: [] }];
    expect(pending.map((one) => isRead(running({ pending: one })))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('[snapshot-impossible-state-rejected] is refused when its pending step is completed', () => {
    expect(isRead(running({ pending: { kind: 'some', step: { stepId: 'b', loopPath: [] } } }))).toBe(false);
  });

  it('[snapshot-loop-id-unique] is refused with the same loop twice in its stack', () => {
    expect([isRead(running({ loopStack: [loop('x'), loop('x', 1)], pending: { kind: 'none' } }))]).toEqual([
      false,
    ]);
    expect(isRead(running({ loopStack: [loop('x'), loop('y')], pending: { kind: 'none' } }))).toBe(true);
  });

  it('[snapshot-impossible-state-rejected] is refused when its pending step is not inside the loops of its stack', () => {
    const pending = (loopPath: object[]) => ({ kind: 'some', step: { stepId: 'c', loopPath } });
    const inside = (loopPath: object[]) =>
      isRead(running({ loopStack: [loop('x', 1)], pending: pending(loopPath) }));
    expect([
      inside([{ loopId: 'x', iteration: 1 }]),
      inside([{ loopId: 'x', iteration: 0 }]),
      inside([]),
    ]).toEqual([...[true, false, false]]);
  });

  it('[snapshot-completed-sorted] is refused with completed steps out of order or twice', () => {
    const values = [
      ['b', 'a'],
      ['a', 'a'],
      ['a', 'b'],
    ];
    expect(values.map((all) => isRead(running({ completed: { kind: 'set', values: all } })))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('[snapshot-rehydration-only] is refused with anything beside what rehydrates', () => {
    expect([isRead(running(), { recap: 'cached' }), isRead(running({ status: 'blocked' }))]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a step instance key', () => {
  const id = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);

  it('[step-instance-key-format] is written in one way and read back the same', () => {
    fc.assert(
      fc.property(id, fc.array(fc.tuple(id, fc.nat()), { maxLength: 4 }), (step, loops) => {
        const loopPath = loops.map(([loopId, iteration]) => ({ loopId: LoopId.parse(loopId), iteration }));
        const key = stepInstanceKey(StepId.parse(step), loopPath);
        const before = loops.map(([loopId, iteration]) => `${loopId}@${iteration}`).join('/');
        expect(key).toBe(before === '' ? step : `${before}::${step}`);
        expect(parseStepInstanceKey(key)._unsafeUnwrap()).toEqual({ stepId: step, loopPath });
      }),
    );
  });

  it.each(['a@b', 'a/b', 'a:b', 'A', 'a b', 'a.b', ''])(
    '[step-instance-key-delimiter-safe] has no id like "%s"',
    (text) => {
      expect([StepId.safeParse(text).success, LoopId.safeParse(text).success]).toEqual([false, false]);
    },
  );

  it.each(['x@01::a', 'x@::a', '::a', 'x@0::', 'x@0/::a', 'x@0::a::b'])('is not read from "%s"', (text) => {
    expect(parseStepInstanceKey(text).isErr()).toBe(true);
  });
});
