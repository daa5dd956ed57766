/** Plans, outcomes and decisions made by fast-check. What an attempt or a gate comes to depends on nothing but its name. */
import fc from 'fast-check';
import type { PlannedBlock, WalkPlan } from '../../../src/factory/plan';
import type { AttemptOutcome, GateState } from '../../../src/factory/run-state';
import { apply, type WalkEvent } from '../../../src/factory/walk';
import { block, decision, failed, gate, plan, scored, threshold, triggerOf, type Walker } from './fixtures';

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
  source: fc.constantFrom('none', 'none', 'none', 'manual', 'event'),
  gated: fc.boolean(),
  kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 4, maxLength: 4 }),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 4, maxLength: 4 }),
});

/** How often blocks of a scenario run. */
type Lives = readonly (PlannedBlock['lifecycle'] | 'ticking')[];

const triggers = (id: string, source: 'none' | 'manual' | 'event'): Pick<PlannedBlock, 'trigger'> => {
  if (source === 'none') return {};
  return { trigger: source === 'manual' ? { type: 'manual' } : { type: 'event', name: id, filters: {} } };
};

/** What keeps a block from running just once. */
function lifeOf(id: string, life: Lives[number], source: 'none' | 'manual' | 'event'): Partial<PlannedBlock> {
  if (life === undefined) return triggers(id, source);
  if (life === 'ticking') return { lifecycle: 'daemon', trigger: { type: 'cron', cron: '* * * * *' } };
  return { lifecycle: life, ...triggers(id, life === 'on-demand' && source === 'none' ? 'manual' : source) };
}

/** Factories of blocks that run once, with triggers and scope gates. */
export const scenario = scenarioOf([undefined]);

/** Factories in which some blocks run any number of times; the first one does not, so that the run has an end. */
export const livelyScenario = scenarioOf([undefined, undefined, 'on-demand', 'daemon', 'ticking']);

function scenarioOf(lives: Lives): fc.Arbitrary<Scenario> {
  return fc
    .record({
      sketches: fc.array(fc.record({ sketched: sketch, life: fc.constantFrom(...lives) }), {
        minLength: 1,
        maxLength: 9,
      }),
      limits: fc.record({ g: fc.integer({ min: 1, max: 3 }), h: fc.constant(1) }, { requiredKeys: [] }),
      backwards: fc.boolean(),
    })
    .map(({ sketches: drawn, limits, backwards }) => {
      const sketches = drawn.map(({ sketched }) => sketched);
      const blocks = drawn.map(({ sketched, life }, place) => {
        const { upstream, before, after, group, thresholds, maxRetries, source, gated } = sketched;
        return block(`b${place}`, {
          needs: place === 0 ? [] : [...new Set(upstream.map((one) => `b${one % place}`))],
          group,
          thresholds,
          maxRetries,
          // Never below that of a block it needs.
          ...(gated ? { scopeGate: 1 + Math.floor((place * 4) / drawn.length) } : {}),
          ...lifeOf(`b${place}`, place === 0 ? undefined : life, source),
          ...(before ? { before } : {}),
          ...(after ? { after } : {}),
        });
      });
      const of = (id: string) => sketches[Number(id.slice(1))];
      const cyclic = <T>(list: readonly T[] | undefined, at: number): T | undefined =>
        list?.[at % list.length];
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
}

/** Blocks that run again and again would keep a walk going for ever. */
const ENOUGH_ATTEMPTS = 2;

/** A trigger for a block that waits for one. */
function firing({ id, trigger, lifecycle }: PlannedBlock, walk: Walker): readonly WalkEvent[] {
  const { status, attempt, trigger: fired, tick } = walk.block(id);
  const idle = lifecycle === undefined ? !fired && status === 'pending' : status !== 'running';
  if (!trigger || !idle || (lifecycle !== undefined && fired && attempt > ENOUGH_ATTEMPTS)) return [];
  const key = `go ${id} ${attempt}`;
  switch (trigger.type) {
    case 'event':
      return [{ type: 'event', name: trigger.name, id: key, by: 'eve', payload: null }];
    case 'cron':
      return tick ? [{ type: 'tick', block: id, due: tick }] : [];
    default:
      return [triggerOf(id, null, key)];
  }
}

/** What could happen next of itself: attempts that run may end, gates that are open may be decided, triggers may fire. */
export function enabled({ plan: { blocks }, outcome, decide }: Scenario, walk: Walker): readonly WalkEvent[] {
  const finishing = blocks
    .filter(({ id }) => walk.status(id) === 'running')
    .map(({ id }): WalkEvent => {
      const { attempt } = walk.block(id);
      return { type: 'attempt-finished', block: id, attempt, outcome: outcome(id, attempt) };
    });
  const deciding = walk.state.gates.filter((opening) => opening.outcome === null).map(decide);
  // A run that is ending takes no more triggers.
  const firings = blocks.flatMap((one) => firing(one, walk)).filter((event) => takes(walk, event));
  return [...finishing, ...deciding, ...firings];
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

/** Would the event be accepted, and change anything? */
function takes(walk: Walker, event: WalkEvent): boolean {
  const result = apply(walk.plan, walk.state, event, walk.now);
  return result.isOk() && result.value.state !== walk.state;
}
