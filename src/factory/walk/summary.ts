/** How far a run is, in numbers. */
import type { WalkPlan } from '../plan';
import type { BlockStatus, RunState } from '../run-state';
import { View } from './view';

/** Progress of one parallel group. */
export interface GroupProgress {
  readonly name: string;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly waiting: number;
  readonly total: number;
  /** `L2-extractors: 3/5 done` */
  readonly text: string;
}

export interface RunSummary {
  readonly groups: readonly GroupProgress[];
  readonly counts: Readonly<Record<BlockStatus, number>>;
}

type Counts = Record<BlockStatus, number>;

const none = (): Counts => ({ pending: 0, ready: 0, running: 0, done: 0, failed: 0, blocked: 0, waiting: 0 });

/** Blocks by status, for the whole run and for each of its groups. */
export function summarise(plan: WalkPlan, state: RunState): RunSummary {
  const view = new View(plan, state);
  const counts = none();
  const byGroup = new Map(plan.groups.map(({ name }) => [name, none()]));
  for (const { id, group } of plan.blocks) {
    const { status } = view.block(id);
    counts[status] += 1;
    const ofGroup = group === null ? undefined : byGroup.get(group);
    if (ofGroup) ofGroup[status] += 1;
  }
  const groups = [...byGroup].map(([name, { done, failed, running, waiting, ...rest }]) => {
    const total = done + failed + running + waiting + rest.pending + rest.ready + rest.blocked;
    return { name, done, failed, running, waiting, total, text: `${name}: ${done}/${total} done` };
  });
  return { groups, counts };
}
