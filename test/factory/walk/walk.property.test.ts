import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GateState } from '../../../src/factory/run-state';
import { apply, type WalkEvent } from '../../../src/factory/walk';
import { decision, NOON, triggerOf, Walker } from './fixtures';
import { enabled, livelyScenario, scenario, type Scenario } from './generated-plans';
import { checkInvariants, checkMoves } from './invariants';

/** Numbers that choose what happens next. */
const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });

/** Far more events than any walk of nine blocks can take. */
const ENOUGH = 500;

/** Walk to the end; the numbers say which of the things that could happen is the next. */
function walkOn(one: Scenario, walk: Walker, picks: readonly number[]): Walker {
  for (let taken = 0; walk.state.endedAt === null; taken += 1) {
    const events = enabled(one, walk);
    const event = events[(picks[taken % picks.length] ?? 0) % events.length];
    if (!event || taken > ENOUGH) throw new Error(`stuck: ${walk.statuses}`);
    walk.send(event);
    checkInvariants(walk);
  }
  checkMoves(walk);
  return walk;
}

/** How a run ended, without times and without the order in which its gates opened and its triggers fired. */
function ending({ state }: Walker): unknown {
  const key = ({ block, gate, attempt }: GateState): string => `${block} ${gate} ${attempt}`;
  const timeless: unknown = JSON.parse(
    JSON.stringify(
      {
        ...state,
        gates: [...state.gates].sort((a, b) => (key(a) < key(b) ? -1 : 1)),
        triggers: [...(state.triggers?.seen ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1)),
      },
      (name, value: unknown) => (/^(at|.*At|.*_at)$/.test(name) ? undefined : value),
    ),
  );
  return timeless;
}

/** Something a person or a clock might do at any moment, sensible or not. */
function intrusion(one: Scenario, pick: number): WalkEvent {
  const { blocks } = one.plan;
  const { id = '' } = blocks[pick % blocks.length] ?? {};
  const attempt = 1 + (pick % 3);
  const events: readonly WalkEvent[] = [
    { type: 'pause', by: 'pia' },
    { type: 'resume', by: 'pia' },
    { type: 'retry-block', block: id, by: 'rob' },
    { type: 'gate-timeout', block: id, gate: 'before', attempt },
    { type: 'gate-timeout', block: id, gate: 'after', attempt },
    { type: 'attempt-finished', block: id, attempt, outcome: one.outcome(id, attempt) },
    { type: 'gate-decision', decision: decision({ id: `i${pick}`, block: id, approver: 'ida' }) },
    {
      type: 'gate-decision',
      decision: decision({ id: `o${pick}`, block: id, override: true, justification: 'so' }),
    },
    triggerOf(id, pick, `k${pick % 50}`),
    { type: 'event', name: id, id: `k${pick % 50}`, by: 'eve', payload: pick },
    ...(pick % 20 === 0 ? [{ type: 'cancel', by: 'carl' } as const] : []),
  ];
  return events[(pick >> 4) % events.length] ?? { type: 'resume', by: 'pia' };
}

describe('every generated factory', () => {
  test('walks to its end by the rules, whatever the order of completions', () => {
    fc.assert(
      fc.property(fc.oneof(scenario, livelyScenario), choices, (one, picks) => {
        const walk = new Walker(one.plan);
        checkInvariants(walk);
        walkOn(one, walk, picks);
      }),
      { numRuns: 300 },
    );
  });

  test('comes to the same end in every order of the same outcomes', () => {
    fc.assert(
      fc.property(scenario, choices, choices, (one, left, right) => {
        expect(ending(walkOn(one, new Walker(one.plan), left))).toEqual(
          ending(walkOn(one, new Walker(one.plan), right)),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('keeps the rules and still ends, whatever people and clocks do in between', () => {
    fc.assert(
      fc.property(fc.oneof(scenario, livelyScenario), choices, choices, (one, picks, intrusions) => {
        const walk = new Walker(one.plan);
        for (const [place, pick] of intrusions.entries()) {
          const events = enabled(one, walk);
          const own = events[(picks[place % picks.length] ?? 0) % Math.max(1, events.length)];
          for (const event of [intrusion(one, pick), ...(own ? [own] : [])]) {
            if (apply(walk.plan, walk.state, event, NOON).isErr()) continue;
            walk.send(event);
            checkInvariants(walk);
          }
        }
        if (walk.state.status === 'paused' || walk.state.status === 'pausing') {
          walk.send({ type: 'resume', by: 'pia' });
        }
        walkOn(one, walk, picks);
      }),
      { numRuns: 300 },
    );
  });

  test('goes on from a state that was written down and read again', () => {
    fc.assert(
      fc.property(fc.oneof(scenario, livelyScenario), choices, (one, picks) => {
        const walk = new Walker(one.plan);
        const reader = new Walker(one.plan);
        for (let taken = 0; walk.state.endedAt === null && taken < ENOUGH; taken += 1) {
          const events = enabled(one, walk);
          const event = events[(picks[taken % picks.length] ?? 0) % events.length];
          if (!event) break;
          // The parsed text of a RunState is a RunState: that is what is being tested.
          reader.state = JSON.parse(JSON.stringify(reader.state)) as typeof reader.state;
          walk.send(event);
          reader.send(event);
          expect([reader.state, reader.effects]).toEqual([walk.state, walk.effects]);
        }
      }),
      { numRuns: 100 },
    );
  });
});
