/** What the Block schema lets through and a walk cannot use: numbers, names, half-filled items. */
import { at, type Block, type TemplateProblem } from '../schema';
import { type Draft } from './draft';
import { workspacePath } from './workspace-path';

/** Timers of Node and of the runtimes count milliseconds in 31 bits; a longer one would fire at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;
const SKILL = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const ENV = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NOT_FOR_BLOCKS = ['run', 'workspace', 'workspace_path'];

type Path = readonly PropertyKey[];

export function checkBlockFields({ template }: Draft): TemplateProblem[] {
  return template.blocks.flatMap((block, index) => {
    const path = ['blocks', index];
    return [...checkNumbers(block, path), ...checkInputs(block, path), ...checkOutputs(block, path)];
  });
}

function checkNumbers({ timeout, execution }: Block, path: Path): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  if (timeout !== undefined && !(Number.isInteger(timeout) && timeout > 0 && timeout <= MAX_TIMEOUT_MS)) {
    const message = `A timeout of ${timeout} is not a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}.`;
    problems.push(at([...path, 'timeout'], message, 'Use 300000 for five minutes.'));
  }
  const retries = execution.max_retries;
  if (retries !== undefined && !(Number.isSafeInteger(retries) && retries >= 0)) {
    const use = Math.min(Math.max(0, Math.ceil(retries)), 100);
    const message = `"max_retries" of ${retries} is not a whole number from 0.`;
    problems.push(at([...path, 'execution', 'max_retries'], message, `Use ${use}.`));
  }
  return problems;
}

function checkInputs({ skill, inputs, scope }: Block, path: Path): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  if (!SKILL.test(skill)) {
    const fix = 'Use the name of a folder in the skills directory.';
    problems.push(at([...path, 'skill'], `"${skill}" is not the name of a skill.`, fix));
  }
  for (const [item, pattern] of (inputs.files ?? []).entries()) {
    const normal = workspacePath(pattern);
    if (!normal.ok) problems.push(at([...path, 'inputs', 'files', item], normal.why, normal.fix));
  }
  for (const [item, name] of (inputs.env ?? []).entries()) {
    if (ENV.test(name)) continue;
    const fix = 'Give the name only; its value comes from the environment of the service.';
    problems.push(at([...path, 'inputs', 'env', item], `"${name}" is not the name of a variable.`, fix));
  }
  for (const name of Object.keys(scope?.run_params ?? {})) {
    if (!NOT_FOR_BLOCKS.includes(name)) continue;
    const message = `"${name}" belongs to the whole run and cannot be replaced for one block.`;
    problems.push(at([...path, 'scope', 'run_params', name], message, `Remove "${name}".`));
  }
  return problems;
}

function checkOutputs({ outputs }: Block, path: Path): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const metrics = new Set<string>();
  for (const [item, { key }] of (outputs.metrics ?? []).entries()) {
    const where = [...path, 'outputs', 'metrics', item];
    if (key === undefined || key === '') {
      problems.push(at(where, 'A metric needs its "key".', 'Add "key".'));
    } else if (metrics.has(key)) {
      problems.push(at([...where, 'key'], `The metric "${key}" is declared twice.`, 'Remove one of them.'));
    }
    metrics.add(key ?? '');
  }
  for (const [item, target] of (outputs.publish ?? []).entries()) {
    for (const key of ['domain', 'slug'] as const) {
      if (target[key]) continue;
      const where = [...path, 'outputs', 'publish', item];
      problems.push(at(where, `A publish target needs its "${key}".`, `Add "${key}".`));
    }
  }
  return problems;
}
