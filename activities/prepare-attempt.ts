/** Everything before the skill: what the block means in this run, and a workspace that is ready for it. */
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { err, ok, Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { type AttemptInput, type RunRecord } from '../src/factory/attempt';
import {
  resolveBlock,
  resolveConfig,
  type CompiledBlock,
  type CompiledFactory,
} from '../src/factory/compile';
import { type ArtifactRef } from '../src/factory/run-state';
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

/** What a block left in the previous completed run with the same parameters, and where its files may be put. */
export interface PreviousRun {
  readonly artifacts: (block: string) => Promise<readonly ArtifactRef[]>;
  /** A folder of the attempt's own. */
  readonly dir: string;
}

/** Resolve a block, put its inputs in place, and clear the place of its outputs. May be repeated. */
export async function prepareAttempt(
  input: AttemptInput,
  record: RunRecord,
  compiled: CompiledFactory,
  store: ContentStore,
  previousRun: PreviousRun,
): Promise<Result<PreparedAttempt, RailyardError>> {
  const resolved = resolveAttempt(input, record, compiled);
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
  if (matched.isErr()) return err(matched.error);
  const earlier = await bringBack(block, store, previousRun);
  return earlier.map((previous_run) => ({
    block,
    workspace,
    warnings: matched.value.warnings,
    request: { ...requestOf(input, record, compiled, block, workspace, matched.value.files), previous_run },
  }));
}

/** The artifacts of the previous run, in the attempt's folder: their own places are cleared, and may be another run's. */
async function bringBack(
  { id, lens }: CompiledBlock,
  store: ContentStore,
  { artifacts, dir }: PreviousRun,
): Promise<Result<SkillRequest['previous_run'], RailyardError>> {
  const found = lens.feedbackLoop ? await artifacts(id) : [];
  if (found.length === 0) return ok(null);
  await mkdir(dir, { recursive: true });
  const opened = openWorkspace(dir);
  if (opened.isErr()) return err(opened.error);
  const moved = found.map((artifact, place) => ({
    ...artifact,
    path: join(opened.value.root, String(place + 1), basename(artifact.path)),
  }));
  for (const artifact of moved) {
    const there = await materialise(store, opened.value, artifact);
    if (there.isErr()) return err(there.error);
  }
  return ok({ artifacts: moved });
}

/** A block as it is in this run, and where the run works. */
export function resolveAttempt(
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
  { run, attempt, inputs, feedback, previous, trigger }: AttemptInput,
  record: RunRecord,
  compiled: CompiledFactory,
  block: CompiledBlock,
  workspace: Workspace,
  files: readonly string[],
): Omit<SkillRequest, 'previous_run'> {
  const artifacts = inputs.map(({ block: from, artifact }) => ({ block: from, ...artifact }));
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
    inputs: artifacts,
    aggregate: artifacts.filter((one) => block.lens.aggregates.includes(one.block)),
    files,
    outputs: block.artifacts,
    metrics: block.metrics,
    record_state: { track_per: block.recordState.trackPer, states: block.recordState.states },
    feedback,
    previous,
    trigger: trigger ?? null,
  };
}
