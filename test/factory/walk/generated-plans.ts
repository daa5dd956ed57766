/** Plans, outcomes and decisions made by fast-check. What an attempt or a gate comes to depends on nothing but its name. */
import fc from 'fast-check';
import type { WalkPlan } from '../../../src/factory/plan';
import type { AttemptOutcome, GateState } from '../../../src/factory/run-state';
import type { WalkEvent } from '../../../src/factory/walk';
import { block, decision, failed, gate, plan, scored, threshold, type Walker } from './fixtures';

export interface Scenario {
  readonly plan: WalkPlan;
  readonly outcome: (id: string, attempt: number) => AttemptOutcome;
  readonly decide: (opening: GateState) => WalkEvent;
}

const KINDS = ['good', 'good', 'good', 'low', 'error', 'silent', 'bare'] as const;
const WORDS = ['approve', 'approve', 'approve', 'retry', 'abort'] as const;

const maybeGate = fc.option(
  fc.record({ quorum: fc.constant('any' as const), autoApproveOnTimeout: fc.boolean() }).map(gate),
  { freq: 3, nil: undefined },
);

const sketch = fc.record({
  upstream: fc.array(fc.nat(), { maxLength: 3 }),
  group: fc.constantFrom(null, null, 'g', 'h'),
  before: maybeGate,
  after: maybeGate,
  thresholds: fc.constantFrom([], [], [threshold()], [threshold({ action: 'warn' })]),
  maxRetries: fc.nat({ max: 2 }),
  kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 4, maxLength: 4 }),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 4, maxLength: 4 }),
});

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    sketches: fc.array(sketch, { minLength: 1, maxLength: 9 }),
    limits: fc.record({ g: fc.integer({ min: 1, max: 3 }), h: fc.constant(1) }, { requiredKeys: [] }),
    backwards: fc.boolean(),
  })
  .map(({ sketches, limits, backwards }) => {
    const blocks = sketches.map(({ upstream, before, after, group, thresholds, maxRetries }, place) =>
      block(`b${place}`, {
        needs: place === 0 ? [] : [...new Set(upstream.map((one) => `b${one % place}`))],
        group,
        thresholds,
        maxRetries,
        ...(before ? { before } : {}),
        ...(after ? { after } : {}),
      }),
    );
    const of = (id: string) => sketches[Number(id.slice(1))];
    const cyclic = <T>(list: readonly T[] | undefined, at: number): T | undefined => list?.[at % list.length];
    return {
      // Plan order need not be an order of dependencies.
      plan: plan(backwards ? [...blocks].reverse() : blocks, limits),
      outcome: (id, attempt) => outcomeOf(cyclic(of(id)?.kinds, attempt) ?? 'good', `${id}v${attempt}`),
      decide: (opening) =>
        wordFor(
          opening,
          cyclic(of(opening.block)?.words, opening.attempt + (opening.gate === 'after' ? 1 : 0)),
        ),
    };
  });

/** What could happen next of itself: attempts that run may end, gates that are open may be decided. */
export function enabled({ plan: { blocks }, outcome, decide }: Scenario, walk: Walker): readonly WalkEvent[] {
  const finishing = blocks
    .filter(({ id }) => walk.status(id) === 'running')
    .map(({ id }): WalkEvent => {
      const { attempt } = walk.block(id);
      return { type: 'attempt-finished', block: id, attempt, outcome: outcome(id, attempt) };
    });
  return [...finishing, ...walk.state.gates.filter((opening) => opening.outcome === null).map(decide)];
}

function outcomeOf(kind: (typeof KINDS)[number], digest: string): AttemptOutcome {
  switch (kind) {
    case 'good':
      return scored(90, digest);
    case 'low':
      return scored(50, digest);
    case 'silent':
      return scored(null, digest);
    case 'bare':
      return {
        kind: 'succeeded',
        artifacts: [],
        metrics: { overall_score: 99 },
        notes: '',
        recordCounts: {},
      };
    case 'error':
      return failed();
  }
}

function wordFor(
  { block: id, gate: kind, attempt }: GateState,
  word: (typeof WORDS)[number] = 'approve',
): WalkEvent {
  const common = { id: `${id} ${kind} ${attempt} ${word}`, block: id, gate: kind, attempt };
  switch (word) {
    case 'approve':
      return { type: 'gate-decision', decision: decision(common) };
    case 'retry':
    case 'abort':
      return {
        type: 'gate-decision',
        decision: decision({ ...common, decision: 'reject', action: word, feedback: 'again' }),
      };
  }
}
