/** Look-ups over a walk plan, made once a plan: a plan of 1,000 blocks is walked by thousands of events. */
import type { PlannedBlock, WalkPlan } from '../plan';

export interface PlanIndex {
  readonly blocks: ReadonlyMap<string, PlannedBlock>;
  /** Group name to the number of blocks that may run in it at once; a group without a limit is not in it. */
  readonly limits: ReadonlyMap<string, number>;
  /** The one-shot blocks behind each scope gate. On-demand blocks and daemons may never run, so nobody waits for them. */
  readonly scopeGates: ReadonlyMap<number, readonly string[]>;
  /** The blocks that wait for a trigger, in plan order. */
  readonly triggered: readonly string[];
  /** The blocks that run once, in plan order. */
  readonly once: readonly string[];
  /** The blocks that run any number of times; each stands after those that use its artifacts. */
  readonly repeating: readonly string[];
  /** For each of these, the blocks that use its artifacts. */
  readonly usersOf: ReadonlyMap<string, readonly string[]>;
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
  const scopeGates = new Map<number, string[]>();
  for (const { id, scopeGate, lifecycle } of plan.blocks) {
    if (scopeGate === undefined || lifecycle !== undefined) continue;
    const members = scopeGates.get(scopeGate) ?? [];
    members.push(id);
    scopeGates.set(scopeGate, members);
  }
  const ids = (blocks: readonly PlannedBlock[]): readonly string[] => blocks.map(({ id }) => id);
  const repeats = plan.blocks.filter(({ lifecycle }) => lifecycle !== undefined);
  const index = {
    blocks: new Map(plan.blocks.map((block) => [block.id, block])),
    limits,
    scopeGates,
    triggered: ids(plan.blocks.filter(({ trigger }) => trigger !== undefined)),
    once: ids(plan.blocks.filter(({ lifecycle }) => lifecycle === undefined)),
    repeating: ids(usersFirst(plan, repeats)),
    usersOf: new Map(repeats.map(({ id }) => [id, ids(usersOf(plan, id))])),
  };
  known.set(plan, index);
  return index;
}

const usersOf = (plan: WalkPlan, id: string): readonly PlannedBlock[] =>
  plan.blocks.filter(({ depends }) => depends.some(({ block }) => block === id));

/** So that a block which is triggered all the time leaves room for those that wait for what it made. */
function usersFirst(plan: WalkPlan, some: readonly PlannedBlock[]): readonly PlannedBlock[] {
  if (some.length === 0) return [];
  const depth = new Map(plan.blocks.map(({ id }) => [id, 0]));
  // A longest path has fewer steps than there are blocks; a round without a change is the end.
  for (let changed = true; changed;) {
    changed = false;
    for (const { id, depends } of plan.blocks) {
      const below = Math.max(0, ...depends.map(({ block }) => (depth.get(block) ?? 0) + 1));
      if (below === depth.get(id)) continue;
      depth.set(id, below);
      changed = true;
    }
  }
  return [...some].sort((a, b) => (depth.get(b.id) ?? 0) - (depth.get(a.id) ?? 0));
}
