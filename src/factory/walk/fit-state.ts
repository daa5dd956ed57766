/** A run's state within the size of what Temporal carries. */
import type { PlannedBlock, WalkPlan } from '../plan';
import type { BlockState, GateState, RunState } from '../run-state';
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

/**
 * The state as an execution that takes the run up needs it. One that is too large goes without what has no influence on
 * anything that is still to come; all of it stands in the store:
 * - notes and warnings;
 * - metrics, but those of a block at its gate, whose attempt is told of should it be rejected, and of a failed block those
 *   that a threshold names: an override looks at them;
 * - of the history all but the last attempt, which the next one is told of, and of a block that is done for good all of it;
 * - gates that were decided for earlier attempts, but the last one of each, whose approval may stand;
 * - the evidence of gates of blocks that are done for good.
 */
export function carried(plan: WalkPlan, state: RunState): RunState {
  return fits(state) ? state : slimmed(plan, state);
}

/** The state without all that. */
export function slimmed(plan: WalkPlan, state: RunState): RunState {
  const planned = new Map(plan.blocks.map((block) => [block.id, block]));
  const isOver = (id: string): boolean =>
    state.blocks[id]?.status === 'done' && planned.get(id)?.lifecycle === undefined;
  const blocks = Object.entries(state.blocks).map(([id, block]): [string, BlockState] => [
    id,
    {
      ...block,
      notes: '',
      warnings: [],
      metrics: block.status === 'waiting' ? block.metrics : missedMetrics(planned.get(id), block),
      history: isOver(id) ? [] : block.history.slice(-1),
    },
  ]);
  return {
    ...state,
    blocks: Object.fromEntries(blocks),
    gates: latestOpenings(state.gates).map((opening) =>
      opening.outcome && isOver(opening.block)
        ? { ...opening, outcome: { ...opening.outcome, evidence: [] } }
        : opening,
    ),
  };
}

function missedMetrics(
  planned: PlannedBlock | undefined,
  { status, metrics }: BlockState,
): BlockState['metrics'] {
  if (status !== 'failed') return {};
  const named = (planned?.thresholds ?? []).filter(({ metric }) => Object.hasOwn(metrics, metric));
  return Object.fromEntries(named.map(({ metric }) => [metric, metrics[metric]]));
}

/** Of each gate the latest opening, and the latest that is closed. */
function latestOpenings(gates: readonly GateState[]): readonly GateState[] {
  const last = new Map<string, GateState>();
  for (const opening of gates) {
    last.set(`${opening.gate} ${opening.block}`, opening);
    if (opening.outcome) last.set(`closed ${opening.gate} ${opening.block}`, opening);
  }
  const kept = new Set(last.values());
  return gates.filter((opening) => kept.has(opening));
}
