/** What an attempt is told: the artifacts it depends on, what people said, and how the attempt before went. */
import type { AttemptInput } from '../attempt';
import type { WalkPlan } from '../plan';
import type { RunState } from '../run-state';
import { goodArtifacts } from './readiness';
import { View } from './view';

/** The input of the block's current attempt. */
export function attemptInput(plan: WalkPlan, state: RunState, run: string, block: string): AttemptInput {
  const view = new View(plan, state);
  const { attempt, feedback, history, trigger } = view.block(block);
  const inputs = view.planned(block).depends.flatMap(({ block: from, key }) =>
    goodArtifacts(view, from)
      .filter((artifact) => artifact.key === key)
      .map((artifact) => ({ block: from, artifact })),
  );
  return {
    run,
    block,
    attempt,
    factoryHash: plan.factoryHash,
    inputs,
    feedback,
    previous: history.at(-1) ?? null,
    ...(trigger ? { trigger: { type: trigger.type, payload: trigger.payload } } : {}),
  };
}
