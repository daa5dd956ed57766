/** Skills as agents perform them: the steps of `workflow.json`, or one step with the text of `SKILL.md`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { isMissing } from '../src/errno';
import { problem, type RailyardError } from '../src/errors';
import { type CompiledFactory } from '../src/factory/compile';
import { OWN_STEPS, skillWorkflow, type AgentWorkflows } from '../src/ledger';
import { compileWorkflow } from '../src/workrail/compiler';
import { utf8Length, type CompiledWorkflow } from '../src/workrail/model';

const RUNTIME = 'forge';
/** A step's prompt has more in it than this, and must fit all the same. */
const MAX_INSTRUCTIONS_BYTES = 16_384;

/** Does a runtime hand its blocks to agents? */
export const isAgentRuntime = (runtime: string): boolean => runtime === RUNTIME;

/** The workflows of all blocks of a factory that agents perform. */
export async function agentWorkflows(
  { blocks }: CompiledFactory,
  skillDirs: readonly string[],
): Promise<Result<AgentWorkflows, RailyardError>> {
  const found: Record<string, CompiledWorkflow> = {};
  for (const { id, skill, runtime } of blocks) {
    if (!isAgentRuntime(runtime)) continue;
    const workflow = await workflowOf(id, skill, skillDirs);
    if (workflow.isErr()) return err(workflow.error);
    found[id] = workflow.value;
  }
  return ok(found);
}

async function workflowOf(
  block: string,
  skill: string,
  skillDirs: readonly string[],
): Promise<Result<CompiledWorkflow, RailyardError>> {
  for (const dir of skillDirs) {
    const path = join(dir, skill, 'workflow.json');
    const authored = await read(path);
    if (authored !== null) return compiled(authored, path);
    const text = await read(join(dir, skill, 'SKILL.md'));
    if (text === null) continue;
    const { name, body } = split(text, skill);
    if (utf8Length(body) > MAX_INSTRUCTIONS_BYTES) {
      const message = `The text of the skill "${skill}" has more than ${MAX_INSTRUCTIONS_BYTES} bytes.`;
      return err(
        problem('WORKFLOW_INVALID', message, { suggestion: 'Divide it into steps, in workflow.json.' }),
      );
    }
    return ok(skillWorkflow(`skill.${skill}`, name, body));
  }
  const message = `There is neither workflow.json nor SKILL.md for the skill "${skill}" of the block "${block}".`;
  return err(problem('SKILL_NOT_FOUND', message, { details: { missing: [skill] } }));
}

function compiled(text: string, path: string): Result<CompiledWorkflow, RailyardError> {
  return compileWorkflow(text, { sourceKind: 'project', sourceKey: path })
    .mapErr((error) => ({ ...error, message: `${path}: ${error.message}` }))
    .andThen(({ compiled: workflow }) => {
      const taken = workflow.steps.find(({ stepId }) => OWN_STEPS.includes(stepId));
      if (!taken) return ok(workflow);
      const message = `${path}: the step id "${taken.stepId}" is the factory's own.`;
      return err(problem('WORKFLOW_INVALID', message, { suggestion: 'Give that step another id.' }));
    });
}

/** The name that the front matter gives, and what follows it. */
function split(text: string, skill: string): { readonly name: string; readonly body: string } {
  const [, front = '', rest] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? [];
  const name = /^name:[ \t]*(.+)$/m.exec(front)?.[1]?.trim() ?? skill;
  const body = (rest ?? text).trim();
  return { name, body: body === '' ? `Perform the skill "${skill}".` : body };
}

/** Null: it is not there. */
async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
