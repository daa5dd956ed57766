/** Look-ups over a walk plan, made once a plan: a plan of 1,000 blocks is walked by thousands of events. */
import type { PlannedBlock, WalkPlan } from '../plan';

export interface PlanIndex {
  readonly blocks: ReadonlyMap<string, PlannedBlock>;
  /** Group name to the number of blocks that may run in it at once; a group without a limit is not in it. */
  readonly limits: ReadonlyMap<string, number>;
}

const known = new WeakMap<WalkPlan, PlanIndex>();

/** The index of a plan. */
export function indexOf(plan: WalkPlan): PlanIndex {
  const found = known.get(plan);
  if (found) return found;
  const limits = new Map<string, number>();
  for (const { name, maxConcurrent } of plan.groups) {
    if (maxConcurrent !== null) limits.set(name, maxConcurrent);
  }
  const index = { blocks: new Map(plan.blocks.map((block) => [block.id, block])), limits };
  known.set(plan, index);
  return index;
}
