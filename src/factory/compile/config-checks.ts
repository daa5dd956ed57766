/** The template's own config and module mapping, and malformed placeholders anywhere. */
import { type JsonValue } from '../../canonical';
import { at, suggest, type TemplateProblem } from '../schema';
import { type Draft } from './draft';
import { malformedPlaceholders } from './placeholders';

export function checkPlaceholders({ template }: Draft): TemplateProblem[] {
  // The template was proved to be JSON before its schema saw it; zod's `unknown` only forgot that.
  const searched = { config: template.config ?? {}, blocks: template.blocks } as unknown as JsonValue;
  return malformedPlaceholders(searched).map(({ path, text }) =>
    at(path, `"${text}" is not a placeholder.`, 'Write {{name}}, of letters, digits, "_" and "-".'),
  );
}

export function checkConfig({ template }: Draft): TemplateProblem[] {
  const { config = {} } = template;
  const problems: TemplateProblem[] = [];
  if (Object.hasOwn(config, 'run')) {
    const message = '"run" is built in: it is the id of the run.';
    problems.push(at(['config', 'run'], message, 'Use another key.'));
  }
  if (Object.hasOwn(config, 'workspace') && typeof config.workspace !== 'string') {
    problems.push(
      at(['config', 'workspace'], 'The workspace is a path, a string.', 'Use "{{workspace_path}}".'),
    );
  }
  return problems;
}

export function checkModuleMapping({ template, blocks }: Draft): TemplateProblem[] {
  return Object.entries(template.module_mapping ?? {}).flatMap(([module, ids]) =>
    ids.flatMap((id, item) => {
      if (blocks.has(id)) return [];
      const fix = suggest(id, blocks.keys(), 'Remove it.');
      return [at(['module_mapping', module, item], `There is no block "${id}".`, fix)];
    }),
  );
}
