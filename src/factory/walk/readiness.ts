/** Can a block start? Section 4 of the Block v2 document, step by step. */
import type { Dependency, WalkPlan } from '../plan';
import type { BlockStatus, RunState } from '../run-state';
import { View } from './view';

/** The status the block should have now, whether or not the run is paused. */
export function evaluateReadiness(plan: WalkPlan, state: RunState, block: string): BlockStatus {
  return readiness(new View(plan, state), block);
}

/** `evaluateReadiness` over a run that is already at hand. */
export function readiness(view: View, id: string): BlockStatus {
  const { status } = view.block(id);
  const planned = view.planned(id);

  // 1. Already on its way, or at the end of it. An open gate keeps a block waiting, before or after.
  if (status === 'done' || status === 'running' || status === 'failed') return status;
  if (status === 'waiting' && view.openGate(id)) return 'waiting';

  // 2. Every dependency is done and left the artifact.
  if (!planned.depends.every((dependency) => isMet(view, dependency))) return 'blocked';

  // 3. The gate before is approved, for this attempt.
  if (planned.gates.before && view.opening(id, 'before')?.outcome?.decision !== 'approved') return 'waiting';

  // 4. There is room in its group.
  if (view.groupFull(planned)) return 'pending';

  // 5. All checks pass.
  return 'ready';
}

/** Done, and the named artifact is there. */
export function isMet(view: View, { block, key }: Dependency): boolean {
  const upstream = view.block(block);
  return upstream.status === 'done' && upstream.artifacts.some((artifact) => artifact.key === key);
}
