import { expect, test } from '@jest/globals';
import { apply, startRun, type Effect } from '../../../src/factory/walk';
import { block, NOON, plan, STARTER, succeeded } from './fixtures';

test('a thousand blocks, fifty wide and twenty deep, walk to their end', () => {
  const WIDTH = 50;
  const blocks = Array.from({ length: 1000 }, (_, place) => {
    const layer = Math.floor(place / WIDTH);
    const needs = [place - WIDTH, place - WIDTH + 1].filter(
      (up) => up >= 0 && Math.floor(up / WIDTH) === layer - 1,
    );
    return block(`b${place}`, { needs: needs.map((up) => `b${up}`), group: `layer${layer}` });
  });
  const big = plan(blocks, { layer0: 10, layer7: 3 });

  let { state, effects } = startRun(big, { startedBy: STARTER }, NOON);
  const queue: Effect[] = [...effects];
  let events = 0;
  for (let effect = queue.shift(); effect; effect = queue.shift()) {
    if (effect.type !== 'start-attempt') continue;
    events += 1;
    const { block: id, attempt } = effect;
    const before = state;
    const step = apply(
      big,
      state,
      { type: 'attempt-finished', block: id, attempt, outcome: succeeded(id) },
      NOON + events,
    )._unsafeUnwrap();
    ({ state, effects } = step);
    queue.push(...effects);
    // Only the blocks that moved are new objects.
    const moved = new Set(step.moves.map((move) => move.block));
    const renewed = blocks.filter((one) => state.blocks[one.id] !== before.blocks[one.id]);
    expect(renewed.map((one) => one.id).sort()).toEqual([...moved].sort());
  }
  expect(events).toBe(1000);
  expect(state.status).toBe('completed');
});
