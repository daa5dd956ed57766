/** `railyard validate` and `railyard graph`: look at a template without a service. */
import { Option, type Command } from 'commander';
import { type Result } from 'neverthrow';
import { factsOf } from '../../api/templates';
import { type RailyardError } from '../../src/errors';
import { compileTemplate, graph, type Compilation, type GraphFormat } from '../../src/factory/compile';
import { fail, say, sayJson } from '../output';
import { readTemplate } from './run';

export function addTemplateCommands(program: Command): void {
  program
    .command('validate')
    .description('check a template and list every problem in it')
    .argument('<template>', 'path of a factory template (JSON)')
    .option('--json', 'print JSON')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const compiled = await compileFile(path);
      if (compiled.isErr()) fail(compiled.error, json);
      else if (json) sayJson({ valid: true, ...factsOf(compiled.value) });
      else for (const line of inWords(compiled.value)) say(line);
    });
  program
    .command('graph')
    .description('draw a template: its blocks, groups, gates and edges')
    .argument('<template>', 'path of a factory template (JSON)')
    .addOption(
      new Option('-f, --format <format>', 'of the drawing').choices(['mermaid', 'dot']).default('mermaid'),
    )
    .action(async (path: string, { format }: { format: GraphFormat }) => {
      const compiled = await compileFile(path);
      if (compiled.isErr()) fail(compiled.error, false);
      else process.stdout.write(graph(compiled.value.compiled, format));
    });
}

async function compileFile(path: string): Promise<Result<Compilation, RailyardError>> {
  return (await readTemplate(path)).andThen(compileTemplate);
}

function inWords(compilation: Compilation): string[] {
  const { factory, hash, blocks, groups, gates, parameters } = factsOf(compilation);
  return [
    `valid: ${factory}, ${blocks} blocks, ${groups} groups, ${gates} gates`,
    `hash ${hash}`,
    `parameters: ${parameters.length > 0 ? parameters.join(', ') : 'none'}`,
  ];
}
