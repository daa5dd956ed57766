import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RunState } from '../../src/factory/run-state';
import { apply, startRun, type WalkEvent } from '../../src/factory/walk';
import { NOON } from '../factory/walk/fixtures';
import { enabled, livelyScenario, scenario, type Scenario } from '../factory/walk/generated-plans';
import { unwrap } from '../workrail/local/fixtures';
import { checkFacts } from './check-facts';
import { propose, RUN, scene, SESSION, start, stored, type Scene } from './scene';

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });

/** Walk a run through its ledger; after every step the store, read anew, has the state of the walk. */
async function walk(one: Scenario, picks: readonly number[], at: Scene): Promise<RunState> {
  const ledger = at.ledger();
  unwrap(await start(at, ledger));
  let { state } = startRun(at.plan, { startedBy: 'sam' }, NOON);
  let seen = 0;
  for (const pick of picks) {
    // What could happen next is asked of the plan as the ledger has it.
    const view = { ...one, plan: at.plan };
    const events = enabled(view, walkerOf(at, state));
    const event = withDigests(events[pick % Math.max(1, events.length)]);
    if (!event) break;
    at.clock.now += 1_000;
    const recorded = await propose(ledger, seen, event);
    const step = apply(at.plan, state, event, recorded.facts[0]?.at ?? at.clock.now);
    expect(recorded.judged[0]?.ok).toBe(step.isOk());
    if (step.isOk() && step.value.state !== state) seen += 1;
    if (step.isOk()) state = step.value.state;
    expect(recorded.facts.length).toBeLessThanOrEqual(1);
    const anew = unwrap(await at.ledger().standing(RUN));
    expect(anew.state).toEqual(state);
    expect(anew.seen).toBe(seen);
  }
  return state;
}

const withDigests = (event: WalkEvent | undefined): WalkEvent | undefined =>
  event?.type === 'attempt-finished' ? { ...event, outcome: stored(event.outcome) } : event;

/** What the generator asks of a walk. */
function walkerOf(at: Scene, state: RunState): Parameters<typeof enabled>[1] {
  const block = (id: string) => {
    const found = state.blocks[id];
    if (!found) throw new Error(`no block ${id}`);
    return found;
  };
  const asked = { plan: at.plan, state, now: at.clock.now, block, status: (id: string) => block(id).status };
  // The generator uses no more of a walker than this.
  return asked as unknown as Parameters<typeof enabled>[1];
}

describe('a run in the store', () => {
  test.each([
    ['blocks that run once', scenario],
    ['blocks that run again', livelyScenario],
  ])('is the walk itself, read anew after every step: %s', async (_name, scenarios) => {
    await fc.assert(
      fc.asyncProperty(scenarios, choices, async (one, picks) => {
        const at = await scene(one.plan, NOON);
        try {
          const state = await walk(one, picks, at);
          const checked = unwrap(await at.store.checkSession(SESSION));
          expect(checked.health).toBe('healthy');
          checkFacts(unwrap(await at.store.sessions.load(SESSION)), state, at.plan);
        } finally {
          at.end();
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});
