/** What a run leaves to the next one with the same parameters: the artifacts of the blocks with `lens.feedback_loop`. */
import type { WalkPlan } from '../plan';
import type { ArtifactRef, RunState } from '../run-state';
import { goodArtifacts } from './readiness';
import { View } from './view';

/** Artifacts by block; null where no block of the plan asks for those of an earlier run. */
export function forNextRun(
  plan: WalkPlan,
  state: RunState,
): Readonly<Record<string, readonly ArtifactRef[]>> | null {
  const asking = plan.blocks.filter(({ feedbackLoop }) => feedbackLoop === true);
  if (asking.length === 0) return null;
  const view = new View(plan, state);
  return Object.fromEntries(asking.map(({ id }) => [id, goodArtifacts(view, id)]));
}
