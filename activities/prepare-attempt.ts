/** Everything before the skill: what the block means in this run, and a workspace that is ready for it. */
import { err, ok, Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { type AttemptInput, type RunRecord } from '../src/factory/attempt';
import {
  resolveBlock,
  resolveConfig,
  type CompiledBlock,
  type CompiledFactory,
} from '../src/factory/compile';
import {
  checkApart,
  clearOutputs,
  matchFiles,
  materialise,
  openWorkspace,
  outputPaths,
  pathInside,
  type ContentStore,
  type Workspace,
} from '../src/sandbox';
import { type SkillRequest } from './skill-runtime';

/** An attempt that may start. */
export interface PreparedAttempt {
  /** With its placeholders filled in. */
  readonly block: CompiledBlock;
  readonly workspace: Workspace;
  readonly request: SkillRequest;
  /** What was left out of the inputs, a sentence each. */
  readonly warnings: readonly string[];
}

/** Resolve a block, put its inputs in place, and clear the place of its outputs. May be repeated. */
export async function prepareAttempt(
  input: AttemptInput,
  record: RunRecord,
  compiled: CompiledFactory,
  store: ContentStore,
): Promise<Result<PreparedAttempt, RailyardError>> {
  const resolved = resolve(input, record, compiled);
  if (resolved.isErr()) return err(resolved.error);
  const { block } = resolved.value;

  const opened = openWorkspace(resolved.value.workspace);
  if (opened.isErr()) return err(opened.error);
  const workspace = opened.value;
  const outputs = checkOutputs(workspace, block, input);
  if (outputs.isErr()) return err(outputs.error);

  for (const { artifact } of input.inputs) {
    const there = await materialise(store, workspace, artifact);
    if (there.isErr()) return err(there.error);
  }
  const cleared = await clearOutputs(workspace, outputs.value);
  if (cleared.isErr()) return err(cleared.error);
  const matched = await matchFiles(workspace, block.files);
  return matched.map(({ files, warnings }) => ({
    block,
    workspace,
    warnings,
    request: requestOf(input, record, compiled, block, workspace, files),
  }));
}

function resolve(
  input: AttemptInput,
  record: RunRecord,
  compiled: CompiledFactory,
): Result<{ block: CompiledBlock; workspace: string }, RailyardError> {
  const block = compiled.blocks.find(({ id }) => id === input.block);
  if (!block) {
    return err(problem('BLOCK_NOT_FOUND', `The factory ${compiled.id} has no block "${input.block}".`));
  }
  const builtIns = { workspacePath: record.workspacePath, run: record.run };
  return resolveConfig(compiled, record.parameters, builtIns).andThen(({ workspace }) =>
    resolveBlock(compiled, block, record.parameters, builtIns).andThen((filled) =>
      normalPaths(workspace, filled).map((artifacts) => ({ block: { ...filled, artifacts }, workspace })),
    ),
  );
}

/** The artifacts with the one spelling of their paths. */
const normalPaths = (
  workspace: string,
  { artifacts }: CompiledBlock,
): Result<CompiledBlock['artifacts'], RailyardError> =>
  Result.combine(artifacts.map((one) => pathInside(workspace, one.path).map((path) => ({ ...one, path }))));

/** Where the block writes: inside of the workspace, and nowhere near what it reads, since that place is cleared. */
function checkOutputs(
  { root }: Workspace,
  block: CompiledBlock,
  { inputs }: AttemptInput,
): Result<readonly string[], RailyardError> {
  return outputPaths(root, block).andThen((outputs) => {
    const apart = checkApart(outputs);
    if (apart.isErr()) return err(apart.error);
    for (const { block: from, artifact } of inputs) {
      const owner = `the input "${artifact.key}" of "${from}"`;
      const checked = pathInside(root, artifact.path).andThen((path) =>
        checkApart([...outputs, { owner, path }]),
      );
      if (checked.isErr()) return err(checked.error);
    }
    return ok(outputs.map(({ path }) => path));
  });
}

function requestOf(
  { run, attempt, inputs, feedback, previous }: AttemptInput,
  record: RunRecord,
  compiled: CompiledFactory,
  block: CompiledBlock,
  workspace: Workspace,
  files: readonly string[],
): SkillRequest {
  return {
    version: 1,
    run,
    block: block.id,
    attempt,
    skill: block.skill,
    model: block.model,
    perspective: block.lens.perspective,
    workspace: workspace.root,
    parameters: { ...record.parameters, ...block.scope.runParams },
    config: block.config,
    modules: compiled.moduleMapping,
    inputs: inputs.map(({ block: from, artifact }) => ({ block: from, ...artifact })),
    files,
    outputs: block.artifacts,
    metrics: block.metrics,
    feedback,
    previous,
  };
}
