import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Effect } from '../../../src/factory/walk';
import { isDue, standingEffects } from '../../../src/factory/walk/due';
import { block, failed, gate, NOON, plan, Walker } from './fixtures';
import { enabled, livelyScenario, scenario } from './generated-plans';

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });
const ENOUGH = 200;

/** What an effect is about, without its time. */
const named = (effect: Effect): string =>
  JSON.stringify('afterMs' in effect ? { ...effect, afterMs: 0 } : effect);

describe('whoever takes a run up', () => {
  test('begins with the attempts and timers that whoever followed it from its start has under way', () => {
    fc.assert(
      fc.property(fc.oneof(scenario, livelyScenario), choices, (one, picks) => {
        const walk = new Walker(one.plan);
        let told: readonly Effect[] = walk.effects;
        for (let taken = 0; walk.state.endedAt === null && taken < ENOUGH; taken += 1) {
          const underWay = told.filter((effect) => isDue(one.plan, walk.state, effect) && isStart(effect));
          const taking = standingEffects(one.plan, walk.state, walk.now);
          expect(taking.map(named).sort()).toEqual([...new Set(underWay.map(named))].sort());
          const events = enabled(one, walk);
          const event = events[(picks[taken % picks.length] ?? 0) % events.length];
          if (!event) break;
          walk.send(event);
          told = [...told, ...walk.effects];
        }
      }),
      { numRuns: 200 },
    );
  });

  test('gives a deadline what is left of its time', () => {
    const walk = new Walker(plan([block('a', { before: gate({ timeoutMs: 5_000 }) })]));
    const timer = { type: 'start-gate-timer', block: 'a', gate: 'before', attempt: 1 };
    expect(standingEffects(walk.plan, walk.state, NOON + 3_000)).toEqual([{ ...timer, afterMs: 2_000 }]);
    expect(standingEffects(walk.plan, walk.state, NOON + 9_000)).toEqual([{ ...timer, afterMs: 1 }]);
    walk.timeOut('a', 'before');
    expect(standingEffects(walk.plan, walk.state, NOON + 9_000)).toEqual([]);
  });
});

describe('an effect', () => {
  test('is over when later facts have overtaken it', () => {
    const walk = new Walker(plan([block('a', { after: gate({ timeoutMs: 1_000 }) })]));
    const [start] = walk.effects;
    walk.finish('a', failed());
    const [again] = walk.effects;
    expect([start, again].map((effect) => effect && isDue(walk.plan, walk.state, effect))).toEqual([
      false,
      true,
    ]);
    walk.finish('a');
    const [timer] = walk.effects;
    expect(timer && isDue(walk.plan, walk.state, timer)).toBe(true);
    walk.decide({ block: 'a' });
    expect(timer && isDue(walk.plan, walk.state, timer)).toBe(false);
  });
});

const isStart = ({ type }: Effect): boolean => type.startsWith('start-');
