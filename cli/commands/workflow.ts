/** `railyard workflow`: the workflows that agents can start. No service is needed. */
import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { Option, type Command } from 'commander';
import { err, ok, type Result } from 'neverthrow';
import pc from 'picocolors';
import { problem, type RailyardError } from '../../src/errors';
import { homeRoot } from '../../src/home';
import { compileWorkflow, type WorkflowCompilation } from '../../src/workrail/compiler';
import { workflowFolders } from '../../src/workrail/local';
import { type Protocol, type ToolOutput } from '../../src/workrail/protocol';
import { fail, say, sayJson } from '../output';

interface Options {
  readonly project: string;
  readonly json?: boolean;
}

export function addWorkflows(program: Command): void {
  const workflow = program
    .command('workflow')
    .description('check, list and look at the workflows that agents can start')
    .addHelpText(
      'after',
      `
They are the bundled ones (wr.*), those of the project (.railyard/workflows) and those of the user (workflows/ in the data
directory). How to write one: docs/guides/workflows.md.`,
    );
  workflow
    .command('validate')
    .description('compile a workflow as a new one, and list every problem in it')
    .argument('<file>', 'path of a workflow (JSON)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA new workflow needs an id with a namespace; those that are there without one still load.',
    )
    .action(validate);
  const project = (): Option =>
    new Option('--project <folder>', 'the project whose .railyard/workflows count').default('.');
  workflow
    .command('list')
    .description('list the workflows that can be started, and those that cannot, with the reason')
    .addOption(project())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code 0 also where some cannot be used.')
    .action(list);
  workflow
    .command('inspect')
    .description('show a workflow: what it needs, its steps and their prompts')
    .argument('<id>', 'as `railyard workflow list` shows it')
    .addOption(project())
    .option('--json', 'print JSON')
    .action(inspect);
}

async function validate(path: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const compiled = (await readWorkflow(path)).andThen((text) =>
    compileWorkflow(text, { sourceKind: kindOf(resolve(path)), intent: 'save', sourceKey: path }),
  );
  if (compiled.isErr()) fail(compiled.error, json);
  else if (json) sayJson({ valid: true, ...factsOf(compiled.value) });
  else for (const line of inWords(compiled.value)) say(line);
}

/** By where it lies: only what comes with Railyard may be `wr.*`. */
function kindOf(path: string): 'bundled' | 'user' | 'project' {
  const folders = workflowFolders(homeRoot(process.env), null);
  const kind = folders.find((folder) => path.startsWith(`${folder.path}${sep}`))?.sourceKind;
  return kind === 'bundled' || kind === 'user' ? kind : 'project';
}

async function readWorkflow(path: string): Promise<Result<string, RailyardError>> {
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error && error.code === 'EISDIR' ? 'is a folder' : 'cannot be read';
    return err(problem('WORKFLOW_UNREADABLE', `The workflow ${path} ${why}.`));
  }
}

const factsOf = ({ compiled, workflowHash }: WorkflowCompilation) => ({
  ...{ workflowId: compiled.workflowId, workflowHash, name: compiled.name },
  ...{ steps: compiled.steps.length, loops: compiled.loops.length },
  warnings: compiled.compiledWarnings,
});

function inWords(compilation: WorkflowCompilation): string[] {
  const { workflowId, workflowHash, steps, loops, warnings } = factsOf(compilation);
  return [
    `valid: ${workflowId}, ${steps} steps, ${loops} loops`,
    `hash ${workflowHash}`,
    ...warnings.map(({ message }) => `${pc.yellow('warning')}: ${message}`),
  ];
}

async function list({ project, json = false }: Options): Promise<void> {
  const listed = await ask(project, ({ list_workflows }) => list_workflows({}));
  if (listed.isErr()) fail(listed.error, json);
  else if (json) sayJson(listed.value);
  else for (const line of table(listed.value)) say(line);
}

function table({ workflows, problems }: ToolOutput<'list_workflows'>): string[] {
  const width = Math.max(0, ...workflows.map(({ workflowId }) => workflowId.length));
  return [
    ...workflows.flatMap(({ workflowId, sourceKind, name, suggestedId }) => [
      `${workflowId.padEnd(width)}  ${sourceKind.padEnd(7)}  ${name}`,
      ...(suggestedId === undefined ? [] : [`  ${pc.yellow('warning')}: give it the id "${suggestedId}"`]),
    ]),
    ...problems.flatMap(({ source, message, suggestion }) => [
      `${pc.red('unusable')} ${source}: ${message}`,
      `  ${pc.dim('what to do:')} ${suggestion}`,
    ]),
  ];
}

async function inspect(workflowId: string, { project, json = false }: Options): Promise<void> {
  const shown = await ask(project, ({ inspect_workflow }) => inspect_workflow({ workflowId, mode: 'steps' }));
  if (shown.isErr()) fail(shown.error, json);
  else if (json) sayJson(shown.value);
  else for (const line of page(shown.value)) say(line);
}

function page(shown: ToolOutput<'inspect_workflow'>): string[] {
  const { workflowId, name, description, workflowHash, sourceKind, capabilities, warnings } = shown;
  const needs = capabilities.map(({ capability, requirement }) => `${capability} ${requirement}`);
  const wish = Object.values(shown.recommended).join(', ');
  const steps = (shown.steps ?? []).flatMap(({ stepId, title, prompt, loops, requireConfirmation }) => [
    '',
    `${pc.bold(stepId)}  ${title}${loops.length > 0 ? pc.dim(` (in ${loops.join(', ')})`) : ''}`,
    ...(requireConfirmation ? ['  the user confirms it'] : []),
    ...prompt.split('\n').map((line) => `  ${line}`.trimEnd()),
  ]);
  return [
    `${pc.bold(workflowId)}  ${name}`,
    ...(description === '' ? [] : [description]),
    `${sourceKind}, ${shown.stepCount} steps, ${shown.loopCount} loops`,
    `hash ${workflowHash}`,
    ...(wish === '' ? [] : [`recommended: ${wish}`]),
    ...(needs.length === 0 ? [] : [`capabilities: ${needs.join(', ')}`]),
    ...warnings.map((text) => `${pc.yellow('warning')}: ${text}`),
    ...steps,
  ];
}

async function ask<T>(
  project: string,
  what: (protocol: Protocol) => Promise<Result<T, RailyardError>>,
): Promise<Result<T, RailyardError>> {
  const log = (message: string, error: unknown): void =>
    void process.stderr.write(`${message}: ${String(error)}\n`);
  // Only here: the SDK of MCP comes with it, and takes a while to load.
  const { withTools } = await import('../tools.js');
  const answer = await withTools({ project: resolve(project), log }, ({ protocol }) => what(protocol));
  return answer.andThen((result) => result);
}
