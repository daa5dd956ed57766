/** What parameters make of a template's paths: they may lead out of the workspace, or two of them to one place. */
import { err, ok, Result } from 'neverthrow';
import { type JsonObject } from '../canonical';
import { problem, type RailyardError } from '../errors';
import {
  resolveBlock,
  resolveConfig,
  resolveValue,
  type BuiltIns,
  type CompiledBlock,
  type CompiledFactory,
} from '../factory/compile';
import { byteOrder } from './listing';
import { pathInside } from './workspace';

/** Check the paths of every block of a run before it starts. Reads nothing. */
export function checkPaths(
  compiled: CompiledFactory,
  parameters: JsonObject,
  builtIns: BuiltIns,
): Result<void, RailyardError> {
  const config = resolveConfig(compiled, parameters, builtIns);
  if (config.isErr()) return err(config.error);
  const { workspace, scope } = config.value;
  const owned: OwnedPath[] = [];
  for (const block of compiled.blocks) {
    const resolved = hasParamsOfItsOwn(block)
      ? resolveBlock(compiled, block, parameters, builtIns)
      : resolvePaths(block, scope);
    if (resolved.isErr()) return err(resolved.error);
    for (const pattern of resolved.value.files) {
      const inside = pathInside(workspace, pattern);
      if (inside.isErr()) return err(inside.error);
    }
    const paths = outputPaths(workspace, resolved.value);
    if (paths.isErr()) return err(paths.error);
    owned.push(...paths.value);
  }
  return checkApart(owned);
}

type BlockPaths = Pick<CompiledBlock, 'id' | 'files' | 'artifacts'>;

/** A path in the workspace, and whose it is, in words. */
export interface OwnedPath {
  readonly owner: string;
  /** Absolute and normal. */
  readonly path: string;
}

/** Where a resolved block writes. */
export function outputPaths(
  workspace: string,
  { id, artifacts }: Pick<CompiledBlock, 'id' | 'artifacts'>,
): Result<OwnedPath[], RailyardError> {
  const paths: OwnedPath[] = [];
  for (const { key, path } of artifacts) {
    const inside = pathInside(workspace, path);
    if (inside.isErr()) return err(inside.error);
    paths.push({ owner: `"${key}" of "${id}"`, path: inside.value });
  }
  return ok(paths);
}

/** No path may be another one, or inside of it: each would be cleared, and hashed, with the other. */
export function checkApart(paths: readonly OwnedPath[]): Result<void, RailyardError> {
  const sorted = [...paths].sort((a, b) => byteOrder(`${a.path}/`, `${b.path}/`));
  let before: OwnedPath | null = null;
  for (const here of sorted) {
    if (before && `${here.path}/`.startsWith(`${before.path}/`)) {
      const message = `With these parameters ${here.owner} (${here.path}) is in the place of ${before.owner} (${before.path}).`;
      const suggestion = 'Pass parameters that give each artifact a path of its own.';
      return err(problem('INPUT_INVALID', message, { suggestion }));
    }
    before = here;
  }
  return ok();
}

/** Only then can a config value mean something else in this block than in the others. */
const hasParamsOfItsOwn = ({ scope }: CompiledBlock): boolean => Object.keys(scope.runParams).length > 0;

/** The paths of a block as `resolveBlock` gives them, without looking at the whole factory for each block. */
function resolvePaths(block: CompiledBlock, scope: JsonObject): Result<BlockPaths, RailyardError> {
  const fill = (text: string): Result<string, RailyardError> => resolveValue(text, scope).map(String);
  return Result.combine([
    Result.combine(block.files.map(fill)),
    Result.combine(block.artifacts.map((one) => fill(one.path).map((path) => ({ ...one, path })))),
  ]).map(([files, artifacts]) => ({ id: block.id, files, artifacts }));
}
