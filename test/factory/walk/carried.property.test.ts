/** What a large state goes without has no influence on anything that is still to come. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptInput } from '../../../src/factory/attempt';
import { apply, carried } from '../../../src/factory/walk';
import { attemptInput } from '../../../src/factory/walk/attempt-input';
import { fits, slimmed } from '../../../src/factory/walk/fit-state';
import { block, failed, gate, NOON, plan, scored, threshold, Walker } from './fixtures';
import { enabled, livelyScenario, scenario } from './generated-plans';

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
const ENOUGH = 500;

/** What the attempts that a step starts are told. */
const inputs = (walk: Walker): readonly AttemptInput[] =>
  walk.effects.flatMap((effect) =>
    effect.type === 'start-attempt' ? [attemptInput(walk.plan, walk.state, 'r', effect.block)] : [],
  );

describe('a state that is carried over', () => {
  test('is the state itself where it fits', () => {
    const walk = new Walker(plan([block('a')]));
    expect(carried(walk.plan, walk.state)).toBe(walk.state);
  });

  test('slimmed before every step, leads to the same steps', () => {
    fc.assert(
      fc.property(fc.oneof(scenario, livelyScenario), choices, (one, picks) => {
        const [walk, slim] = [new Walker(one.plan), new Walker(one.plan)];
        for (let taken = 0; walk.state.endedAt === null && taken < ENOUGH; taken += 1) {
          const events = enabled(one, walk);
          const event = events[(picks[taken % picks.length] ?? 0) % events.length];
          if (!event) break;
          slim.state = slimmed(slim.plan, slim.state);
          walk.send(event);
          slim.send(event);
          expect([slim.effects, inputs(slim), slim.answer]).toEqual([
            walk.effects,
            inputs(walk),
            walk.answer,
          ]);
          expect(slimmed(slim.plan, slim.state)).toEqual(slimmed(walk.plan, walk.state));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('still knows the missed metric that an override passes, and the attempt before a retry', () => {
    const walk = new Walker(plan([block('a', { maxRetries: 1, thresholds: [threshold()] })]));
    walk.finish('a', scored(10));
    walk.finish('a', scored(20));
    walk.state = slimmed(walk.plan, walk.state);
    expect(walk.block('a').history.map(({ score }) => score)).toEqual([20]);
    walk.decide({ block: 'a', override: true, justification: 'alpha' });
    expect(walk.state.status).toBe('completed');
  });

  test('still knows the approval that stands', () => {
    const walk = new Walker(
      plan([block('up'), block('a', { needs: ['up'], before: gate(), maxRetries: 2 })]),
    );
    walk.finish('up');
    walk.decide({ block: 'a' });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      walk.state = slimmed(walk.plan, walk.state);
      walk.finish('a', failed());
      expect(walk.status('a')).toBe('running');
    }
  });

  test('fits, with metrics and notes of any size', () => {
    const many = Array.from({ length: 300 }, (_, n) => block(`b${n}`));
    const walk = new Walker(plan(many));
    let { state } = walk;
    const metrics = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`metric-${n}`, 'x'.repeat(50)]),
    );
    for (const { id } of many) {
      const outcome = {
        kind: 'succeeded',
        artifacts: [],
        metrics,
        notes: 'y'.repeat(4_000),
        recordCounts: {},
      } as const;
      const event = { type: 'attempt-finished', block: id, attempt: 1, outcome } as const;
      state = apply(walk.plan, state, event, NOON)._unsafeUnwrap().state;
    }
    expect(fits(state)).toBe(false);
    expect(fits(carried(walk.plan, state))).toBe(true);
  });
});
