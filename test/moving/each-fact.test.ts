import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RunState } from '../../src/factory/run-state';
import { readRun } from '../../src/home';
import { NOON } from '../factory/walk/fixtures';
import { enabled, livelyScenario, scenario, type Scenario } from '../factory/walk/generated-plans';
import { unwrap } from '../workrail/local/fixtures';
import { bundleOf, house, importText, propose, RUN, startIn, type House, type Started } from './houses';

/** What the generator asks of a walk; it uses no more of a walker than this. */
function walkerOf({ plan }: Started, state: RunState, now: number): Parameters<typeof enabled>[1] {
  const block = (id: string) => {
    const found = state.blocks[id];
    if (!found) throw new Error(`no block ${id}`);
    return found;
  };
  const asked = { plan, state, now, block, status: (id: string) => block(id).status };
  return asked as unknown as Parameters<typeof enabled>[1];
}

/** The run in a fresh house is the run where it came from, with its files in a place of that house. */
async function moves(from: House, workspace: string, clock: { now: number }): Promise<void> {
  const there = await house(clock);
  try {
    const imported = unwrap(await importText(there, await bundleOf(from)));
    expect(imported).toMatchObject({ sessionId: RUN, fresh: true, missingArtifacts: [] });
    const [here, moved] = [unwrap(await from.ledger.standing(RUN)), unwrap(await there.ledger.standing(RUN))];
    const place = readRun(there.home, RUN)._unsafeUnwrap().workspace;
    expect(place).not.toBe(workspace);
    expect(JSON.parse(JSON.stringify(moved).replaceAll(place, workspace))).toEqual(
      JSON.parse(JSON.stringify(here)),
    );
    for (const { artifacts } of Object.values(moved.state.blocks)) {
      for (const { path, format } of artifacts) {
        expect(readFileSync(format === 'directory' ? join(path, 'one.txt') : path, 'utf8')).toContain(
          'the bytes of',
        );
      }
    }
    // And the whole store it is in now is as good as the one it left.
    const checked = unwrap(await there.store.checkStore());
    expect(checked.sessions.map(({ health, missingArtifacts }) => ({ health, missingArtifacts }))).toEqual([
      { health: 'healthy', missingArtifacts: [] },
    ]);
    const audit = unwrap(await there.ledger.audit(RUN));
    expect(audit).toEqual(unwrap(await from.ledger.audit(RUN)));
  } finally {
    there.end();
  }
}

async function walk(one: Scenario, picks: readonly number[]): Promise<void> {
  const clock = { now: NOON };
  const from = await house(clock);
  try {
    const started = await startIn(from, one.plan);
    await moves(from, started.workspace, clock);
    for (const pick of picks) {
      const { state } = unwrap(await from.ledger.standing(RUN));
      const events = enabled({ ...one, plan: started.plan }, walkerOf(started, state, clock.now));
      const event = events[pick % Math.max(1, events.length)];
      if (!event) break;
      clock.now += 1_000;
      await propose(from, started, event);
      await moves(from, started.workspace, clock);
    }
  } finally {
    from.end();
  }
}

describe('a run that is exported after each of its facts and imported elsewhere', () => {
  const picks = fc.array(fc.nat(), { minLength: 4, maxLength: 14 });
  test.each([
    ['blocks that run once', scenario],
    ['blocks that run again', livelyScenario],
  ])('is the same run, with the same files and the same audit: %s', async (_name, scenarios) => {
    await fc.assert(fc.asyncProperty(scenarios, picks, walk), { numRuns: 5 });
  });
});
