/**
 * What would make a compiled workflow impossible to walk. The compiler never makes such a one; a bundle from elsewhere
 * might hold it, and then it is refused instead of walked.
 */
import { type JsonValue } from '../../canonical';
import { type CompiledWorkflow, type LoopId, type WalkItem } from '../model';
import { type WorkflowIndex } from './workflow-index';

/** The first fault, in words; null: it can be walked. */
export function findWorkflowFault(index: WorkflowIndex): string | null {
  const { workflow } = index;
  return doubled(workflow) ?? unresolved(index) ?? misplaced(workflow) ?? endless(index) ?? slow(workflow);
}

function doubled({ steps, loops, contracts }: CompiledWorkflow): string | null {
  const twice = (ids: readonly string[]): string | undefined => ids.find((id, i) => ids.indexOf(id) !== i);
  const id =
    twice(steps.map(({ stepId }) => stepId)) ??
    twice(loops.map(({ loopId }) => loopId)) ??
    twice(contracts.map(({ contractRef }) => contractRef));
  return id === undefined ? null : `"${id}" stands twice`;
}

function unresolved({ workflow, steps, loops, conditions, contracts }: WorkflowIndex): string | null {
  for (const item of [...workflow.walk, ...workflow.loops.flatMap(({ body }) => body)]) {
    if (item.kind === 'step' && !steps.has(item.stepId)) return `the step "${item.stepId}" is not there`;
    if (item.kind === 'loop' && !loops.has(item.loopId)) return `the loop "${item.loopId}" is not there`;
  }
  for (const { loopId } of workflow.loops) {
    if (!conditions.has(loopId)) return `the condition of the loop "${loopId}" is not there`;
  }
  for (const { stepId, outputContract } of workflow.steps) {
    if (outputContract && !contracts.has(outputContract.contractRef)) {
      return `the contract of the step "${stepId}" is not embedded`;
    }
  }
  return null;
}

/** Deeper loops than the compiler allows, by far. */
const MAX_DEPTH = 64;

/** Every step and every loop has exactly one place; so no loop can be inside of itself and still be reached. */
function misplaced({ walk, loops, steps }: CompiledWorkflow): string | null {
  const bodies = new Map(loops.map(({ loopId, body }) => [loopId, body]));
  const seen = new Set<string>();
  const open: { readonly items: readonly WalkItem[]; readonly depth: number }[] = [{ items: walk, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { items, depth } = next;
    if (depth > MAX_DEPTH) return 'its loops are nested too deep';
    for (const item of items) {
      const key = item.kind === 'step' ? `step ${item.stepId}` : `loop ${item.loopId}`;
      if (seen.has(key)) return `the ${key} has two places`;
      seen.add(key);
      if (item.kind === 'loop') open.push({ items: bodies.get(item.loopId) ?? [], depth: depth + 1 });
    }
  }
  return seen.size < steps.length + loops.length ? 'a step or a loop has no place in the walk' : null;
}

/** A loop that reaches no step would turn without anybody acting. */
function endless(index: WorkflowIndex): string | null {
  const loop = index.workflow.loops.find(({ loopId }) => runs(index, loopId) && !acts(index, loopId));
  return loop ? `the loop "${loop.loopId}" reaches no step` : null;
}

const runs = ({ conditions }: WorkflowIndex, loopId: LoopId): boolean =>
  conditions.get(loopId)?.kind !== 'always_false';

const acts = (index: WorkflowIndex, loopId: LoopId): boolean =>
  (index.loops.get(loopId)?.body ?? []).some(
    (item) => item.kind === 'step' || (runs(index, item.loopId) && acts(index, item.loopId)),
  );

/** Embedded schemas are matched by the platform's patterns: only those that cannot take for ever are let near them. */
function slow({ contracts }: CompiledWorkflow): string | null {
  const pack = contracts.find(({ schema }) => patternsIn(schema).some((pattern) => !isQuick(pattern)));
  return pack ? `a pattern in the schema of "${pack.contractRef}" is not safe to match` : null;
}

function patternsIn(schema: JsonValue): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one: JsonValue) => patternsIn(one));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'pattern' && typeof value === 'string' ? [value] : []),
    ...(key === 'patternProperties' && typeof value === 'object' && value !== null ? Object.keys(value) : []),
    ...patternsIn(value),
  ]);
}

/** Without groups nothing repeats inside of a repetition, and two repetitions side by side are quick enough. */
const isQuick = (pattern: string): boolean =>
  !pattern.includes('(') && (pattern.match(/[*+{]/g) ?? []).length <= 2;
