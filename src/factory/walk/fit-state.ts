/** A run's state within the size of what Temporal carries. */
import type { BlockState, RunState } from '../run-state';
import { textBytes } from './text-bytes';

/** Temporal takes no payload over 2 MB; this leaves room for what goes with the state. */
export const MAX_STATE_BYTES = 1_500_000;

/** Does the state fit, as it is? */
export function fits(state: RunState): boolean {
  return textBytes(JSON.stringify(state)) <= MAX_STATE_BYTES;
}

/**
 * The state as it can be read. One that is too large goes without notes, warnings, metrics and the payloads of
 * triggers, which also stand in the folders of the attempts; what is left is bounded by the size of the plan.
 */
export function readable(state: RunState): RunState {
  if (fits(state)) return state;
  const blocks = Object.entries(state.blocks).map(([id, block]): [string, BlockState] => [
    id,
    {
      ...block,
      notes: '',
      metrics: {},
      warnings: block.warnings.slice(-1),
      history: block.history.slice(-3).map((attempt) => ({ ...attempt, metrics: {} })),
      ...(block.trigger ? { trigger: { ...block.trigger, payload: null } } : {}),
    },
  ]);
  return {
    ...state,
    blocks: Object.fromEntries(blocks),
    ...(state.triggers ? { triggers: { ...state.triggers, kept: [] } } : {}),
  };
}
