/** Can a block start? Section 4 of the Block v2 document, step by step, with scope gates and triggers. */
import type { Dependency, WalkPlan } from '../plan';
import type { ArtifactRef, BlockStatus, RunState } from '../run-state';
import { View } from './view';

/** The status the block should have now, whether or not the run is paused. */
export function evaluateReadiness(plan: WalkPlan, state: RunState, block: string): BlockStatus {
  return readiness(new View(plan, state), block);
}

/** `evaluateReadiness` over a run that is already at hand. */
export function readiness(view: View, id: string): BlockStatus {
  const { status, trigger } = view.block(id);
  const planned = view.planned(id);

  // 1. Already on its way, or at the end of it. An open gate keeps a block waiting, before or after.
  if (status === 'done' || status === 'running' || status === 'failed') return status;
  if (status === 'waiting' && view.openGate(id)) return 'waiting';

  // 2. Every dependency is done and left the artifact, and so is everything behind a lower scope gate.
  if (!isOpenTo(view, id)) return 'blocked';

  // 3. Its trigger has fired.
  if (planned.trigger && !trigger) return 'pending';

  // 4. The gate before is approved, for this attempt.
  if (planned.gates.before && view.opening(id, 'before')?.outcome?.decision !== 'approved') return 'waiting';

  // 5. There is room in its group, and nobody is reading what it is about to write anew.
  if (view.groupFull(planned) || users(view, id).length > 0) return 'pending';

  // 6. All checks pass.
  return 'ready';
}

/** Are all other blocks where this one needs them? */
export function isOpenTo(view: View, id: string): boolean {
  const { depends } = view.planned(id);
  return depends.every((dependency) => isMet(view, dependency)) && behind(view, id).length === 0;
}

/** Done, and the named artifact is there. One that runs again is used as it was, but not while it is being replaced. */
export function isMet(view: View, { block, key }: Dependency): boolean {
  const replaced = view.block(block).status === 'running' || view.openGate(block)?.gate === 'after';
  return !replaced && goodArtifacts(view, block).some((artifact) => artifact.key === key);
}

/** The artifacts of a block that others may use: those of its last good attempt. */
export function goodArtifacts(view: View, id: string): readonly ArtifactRef[] {
  const { status, artifacts, lastDone } = view.block(id);
  return status === 'done' ? artifacts : (lastDone?.artifacts ?? []);
}

/** Blocks with a lower scope gate that are not done. */
export function behind(view: View, id: string): readonly string[] {
  const { scopeGate } = view.planned(id);
  if (scopeGate === undefined) return [];
  return [...view.index.scopeGates]
    .filter(([gate]) => gate < scopeGate)
    .flatMap(([, ids]) => ids.filter((one) => view.block(one).status !== 'done'));
}

/** Running blocks that use the artifacts of this one; only a block that runs again can meet any. */
export function users(view: View, id: string): readonly string[] {
  return (view.index.usersOf.get(id) ?? []).filter((one) => view.block(one).status === 'running');
}

/** For a daemon without a trigger: which attempts it is about to run on. */
export function inputAttempts(view: View, id: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    view.planned(id).depends.map(({ block }) => {
      const { status, attempt, lastDone } = view.block(block);
      return [block, status === 'done' ? attempt : (lastDone?.attempt ?? 0)];
    }),
  );
}
