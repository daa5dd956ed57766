/**
 * What a placeholder's name means, in this order:
 * 1. a built-in: `run` (the run's id) or `workspace` (the config key of that name, else `workspace_path`);
 * 2. a key of the block's own `scope.run_params`;
 * 3. a key of the template's `config`;
 * 4. a parameter of the run. `workspace_path` is one with a default, which the service supplies.
 *
 * Inside `config`, a name means another config key only where that key's value has no placeholders of its own, so
 * `"expert_name": "{{expert_name}}"` asks for the parameter and nothing goes in circles. What is filled in is never
 * searched again: a parameter cannot smuggle in a placeholder.
 */
import { err, ok, type Result } from 'neverthrow';
import { type JsonObject, type JsonValue } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { type CompiledBlock, type CompiledFactory } from './compiled-factory';
import { fillObject, fillText, fillValue, placeholdersIn, type Lookup } from './placeholders';

/** What the service supplies to every run. */
export interface BuiltIns {
  /** Stands for `{{workspace_path}}` where the run has no parameter of that name. */
  readonly workspacePath: string;
  /** The run's id. */
  readonly run: string;
}

export interface ResolvedConfig {
  readonly config: JsonObject;
  readonly workspace: string;
  /** Every name a block may use, with its value. */
  readonly scope: JsonObject;
  /** Parameters that were given and are used nowhere. */
  readonly unused: readonly string[];
}

/** The parameters a run must supply, sorted. */
export function requiredParameters(compiled: CompiledFactory): string[] {
  return parameterNames(compiled).filter((name) => name !== 'workspace_path');
}

/** Resolve a template's config for one run; PARAMETERS_MISSING names in `details.missing` what any block lacks. */
export function resolveConfig(
  compiled: CompiledFactory,
  parameters: JsonObject,
  builtIns: BuiltIns,
): Result<ResolvedConfig, RailyardError> {
  const missing = requiredParameters(compiled).filter((name) => !Object.hasOwn(parameters, name));
  if (missing.length > 0) return err(parametersMissing(missing));

  const given: JsonObject = { workspace_path: builtIns.workspacePath, ...parameters };
  const { config } = compiled;
  const lookupIn =
    (key: string | null, workspace: string): Lookup =>
    (name) => {
      const meaning = meaningInConfig(name, key, config);
      if (meaning === 'built-in') return name === 'run' ? builtIns.run : workspace;
      return own(meaning === 'config' ? config : given, name);
    };

  const workspace = fillValue(own(config, 'workspace') ?? '{{workspace_path}}', lookupIn('workspace', ''));
  if (typeof workspace !== 'string' || workspace === '') {
    return err(problem('INPUT_INVALID', 'The workspace of a run is a path, a non-empty string.'));
  }
  const resolved = Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, fillValue(value, lookupIn(key, workspace))]),
  );
  const used = new Set(parameterNames(compiled));
  return ok({
    config: resolved,
    workspace,
    scope: { ...given, ...resolved, workspace, run: builtIns.run },
    unused: Object.keys(parameters).filter((name) => !used.has(name)),
  });
}

/** A block with its placeholders filled in. Paths are not checked here: a parameter may hold `..`. */
export function resolveBlock(
  compiled: CompiledFactory,
  block: CompiledBlock,
  parameters: JsonObject,
  builtIns: BuiltIns,
): Result<CompiledBlock, RailyardError> {
  return resolveConfig(compiled, parameters, builtIns).andThen((forRun) => {
    const runParams = fillObject(block.scope.runParams, (name) => own(forRun.scope, name));
    return resolveConfig(compiled, { ...parameters, ...runParams }, builtIns).map(({ scope }) => {
      const inBlock: JsonObject = { ...scope, ...runParams };
      const lookup: Lookup = (name) => own(inBlock, name);
      const text = (one: string): string => fillText(one, lookup);
      return {
        ...block,
        name: text(block.name),
        files: block.files.map(text),
        config: fillObject(block.config, lookup),
        artifacts: block.artifacts.map((artifact) => ({ ...artifact, path: text(artifact.path) })),
        publish: block.publish.map(({ domain, slug }) => ({ domain: text(domain), slug: text(slug) })),
        scope: { ...block.scope, runParams },
        lens: {
          ...block.lens,
          perspective: block.lens.perspective === null ? null : text(block.lens.perspective),
        },
      };
    });
  });
}

/** Fill in any value from a scope; names the scope lacks are PARAMETERS_MISSING. */
export function resolveValue(value: JsonValue, scope: JsonObject): Result<JsonValue, RailyardError> {
  const missing = placeholdersIn(value).filter((name) => !Object.hasOwn(scope, name));
  return missing.length > 0
    ? err(parametersMissing(missing))
    : ok(fillValue(value, (name) => own(scope, name)));
}

/** Every attempt of every run asks for them, and a factory of 1,000 blocks is long to search. */
const knownNames = new WeakMap<CompiledFactory, readonly string[]>();

/** Every name that means a parameter somewhere, sorted. */
function parameterNames(compiled: CompiledFactory): readonly string[] {
  const known = knownNames.get(compiled) ?? searchNames(compiled);
  knownNames.set(compiled, known);
  return known;
}

function searchNames(compiled: CompiledFactory): string[] {
  const { config } = compiled;
  const names = new Set<string>(Object.hasOwn(config, 'workspace') ? [] : ['workspace_path']);
  for (const [key, value] of Object.entries(config)) {
    for (const name of placeholdersIn(value)) {
      if (meaningInConfig(name, key, config) === 'parameter') names.add(name);
    }
  }
  for (const block of compiled.blocks)
    for (const name of freeNames(block)) {
      if (!isBuiltIn(name) && !Object.hasOwn(config, name)) names.add(name);
    }
  return [...names].sort();
}

/** The names a block uses and does not define itself. */
function freeNames(block: CompiledBlock): string[] {
  const { runParams } = block.scope;
  const texts: JsonValue = [
    block.name,
    block.files,
    block.config,
    block.artifacts.map((artifact) => artifact.path),
    block.publish.flatMap(({ domain, slug }) => [domain, slug]),
    block.lens.perspective,
  ];
  const outside = placeholdersIn(texts).filter((name) => !Object.hasOwn(runParams, name));
  return [...outside, ...placeholdersIn(runParams)];
}

function meaningInConfig(
  name: string,
  key: string | null,
  config: JsonObject,
): 'built-in' | 'config' | 'parameter' {
  if (name === key) return 'parameter';
  if (isBuiltIn(name)) return 'built-in';
  const value = own(config, name);
  return value !== undefined && placeholdersIn(value).length === 0 ? 'config' : 'parameter';
}

const isBuiltIn = (name: string): boolean => name === 'run' || name === 'workspace';

/** An object's own value; a parameter may well be called `constructor`. */
const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

function parametersMissing(missing: readonly string[]): RailyardError {
  const list = missing.join(', ');
  return problem('PARAMETERS_MISSING', `The template needs parameters that were not given: ${list}.`, {
    details: { missing },
  });
}
