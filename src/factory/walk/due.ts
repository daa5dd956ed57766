/** What a driver has to do about a state: all of it where it takes a run up, and which of its orders still hold. */
import type { WalkPlan } from '../plan';
import type { RunState } from '../run-state';
import type { Effect } from './events';
import { View } from './view';

/** The effects that whoever takes up a run in this state begins with; `now` is epoch milliseconds. */
export function standingEffects(plan: WalkPlan, state: RunState, now: number): readonly Effect[] {
  const until = (at: string): number => Math.max(1, Date.parse(at) - now);
  const ofBlocks = plan.blocks.flatMap(({ id }): Effect[] => {
    const block = state.blocks[id];
    if (!block) return [];
    const { status, attempt, tick } = block;
    return [
      ...(status === 'running' ? [{ type: 'start-attempt', block: id, attempt } as const] : []),
      ...(tick ? [{ type: 'start-tick-timer', block: id, due: tick, afterMs: until(tick) } as const] : []),
    ];
  });
  const ofGates = state.gates.flatMap(({ block, gate, attempt, deadline, overdue, outcome }): Effect[] =>
    outcome || deadline === null || overdue
      ? []
      : [{ type: 'start-gate-timer', block, gate, attempt, afterMs: until(deadline) }],
  );
  return [...ofBlocks, ...ofGates];
}

/** Does an effect still fit the state? When many facts are caught up with, most of what the early ones ask for is over. */
export function isDue(plan: WalkPlan, state: RunState, effect: Effect): boolean {
  const view = new View(plan, state);
  const { status, attempt, tick } = view.block(effect.block);
  switch (effect.type) {
    case 'start-attempt':
    case 'cancel-attempt':
      return status === 'running' && attempt === effect.attempt;
    case 'start-gate-timer': {
      const opening = view.opening(effect.block, effect.gate);
      return opening?.attempt === effect.attempt && opening.outcome === null && !opening.overdue;
    }
    case 'start-tick-timer':
      return tick === effect.due;
    case 'stop-gate-timer':
      return true;
  }
}
