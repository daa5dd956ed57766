/**
 * So that a slip in one place does not hide the problems of another, a template that does not fit its schema is
 * checked further without the parts that do not fit: unknown keys, else the whole key of the block (`inputs`) or of
 * the template (`thresholds`) that holds the fault. Only what others refer to, a block's `id` and `outputs`, cannot
 * be left out without making problems appear that are none.
 */
import { type z } from 'zod';
import { type JsonValue } from '../../canonical';
import { Template } from '../schema';

/** Stand in for what a block or a template must have; no check has anything to say about them. */
const NEUTRAL_BLOCK = {
  name: '',
  layer: 'L0',
  type: 'build',
  skill: 'none',
  trigger: { type: 'dependency' },
  inputs: {},
  execution: {},
  lifecycle: { mode: 'one-shot' },
};
const NEUTRAL_TEMPLATE = { factory: { id: 'none', name: '' } };

/** The template without its faulty parts, or null where they cannot be left out. */
export function salvage(value: JsonValue, issues: readonly z.core.$ZodIssue[]): Template | null {
  const paths = issues.flatMap(faultyParts);
  if (paths.some(isReferredTo)) return null;
  const copy: unknown = structuredClone(value);
  for (const path of paths) remove(copy, path);
  if (!isObject(copy) || !Array.isArray(copy.blocks)) return null;
  const blocks = copy.blocks.map((block: unknown) =>
    isObject(block) ? { ...NEUTRAL_BLOCK, ...block } : block,
  );
  return Template.safeParse({ ...NEUTRAL_TEMPLATE, ...copy, blocks }).data ?? null;
}

function faultyParts(issue: z.core.$ZodIssue): PropertyKey[][] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key]);
  return [issue.path.slice(0, issue.path[0] === 'blocks' ? 3 : 1)];
}

const isReferredTo = (path: readonly PropertyKey[]): boolean =>
  path.length === 0 ||
  (path[0] === 'blocks' && (path.length < 3 || path[2] === 'id' || path[2] === 'outputs'));

function remove(root: unknown, path: readonly PropertyKey[]): void {
  const [step, ...rest] = path;
  if (step === undefined || typeof root !== 'object' || root === null) return;
  if (rest.length > 0) remove(Reflect.get(root, step), rest);
  else Reflect.deleteProperty(root, step);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
