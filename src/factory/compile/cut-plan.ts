import { err, ok, type Result } from 'neverthrow';
import { type PlannedBlock, type WalkPlan } from '../plan';
import { at, type TemplateProblem } from '../schema';
import { type CompiledBlock, type CompiledFactory } from './compiled-factory';
import { triggerOf } from './triggers';

/** The plan is a workflow's input, and is carried over at every continue-as-new. */
export const MAX_PLAN_BYTES = 1_000_000;

/** The part of a compiled factory that the walk needs; too large a one is a problem of the template. */
export function cutPlan(compiled: CompiledFactory, factoryHash: string): Result<WalkPlan, TemplateProblem> {
  const plan: WalkPlan = {
    factory: compiled.factory.id,
    factoryHash,
    blocks: compiled.blocks.map((block) => ({
      id: block.id,
      depends: block.depends,
      artifacts: block.artifacts.map(({ key }) => key),
      group: block.group,
      gates: block.gates,
      thresholds: block.thresholds,
      maxRetries: block.maxRetries,
      timeoutMs: block.timeoutMs,
      ...seldom(block),
    })),
    groups: compiled.groups,
  };
  const bytes = Buffer.byteLength(JSON.stringify(plan));
  if (bytes <= MAX_PLAN_BYTES) return ok(plan);
  const message = `The plan of this factory has ${bytes} bytes; at most ${MAX_PLAN_BYTES} are possible.`;
  return err(at(['blocks'], message, 'Split the factory into smaller ones.'));
}

/** What most blocks do without, and a slim plan leaves out. */
function seldom({ scope, trigger, lifecycle, lens, runtime }: CompiledBlock): Partial<PlannedBlock> {
  const planned = triggerOf(trigger);
  return {
    ...(scope.gate === null ? {} : { scopeGate: scope.gate }),
    ...(planned ? { trigger: planned } : {}),
    ...(lifecycle === 'one-shot' ? {} : { lifecycle }),
    ...(lens.feedbackLoop ? { feedbackLoop: true } : {}),
    ...(runtime === 'forge' ? { performer: 'agent' } : {}),
  };
}
