/** Edges: each `depends` item names an artifact of another block, each `lens.aggregates` item all artifacts of one. */
import { at, suggest, type Block, type TemplateProblem } from '../schema';
import { type Dependency } from '../plan';
import { artifactKeys, type Draft } from './draft';

/** The dependencies of a block, each once: those it names in authored order, then those it aggregates. */
export function dependenciesOf(block: Block, blocks: Draft['blocks']): Dependency[] {
  const named = (block.inputs.depends ?? []).flatMap(({ block: from, key }) =>
    from === undefined || key === undefined ? [] : [{ block: from, key }],
  );
  const aggregated = aggregatesOf(block).flatMap((from) => {
    const source = blocks.get(from);
    return source ? artifactKeys(source).map((key) => ({ block: from, key })) : [];
  });
  const seen = new Set<string>();
  return [...named, ...aggregated].filter((dependency) => {
    const name = JSON.stringify([dependency.block, dependency.key]);
    return seen.has(name) ? false : seen.add(name);
  });
}

/** The blocks that a block aggregates, each once. */
export const aggregatesOf = ({ lens }: Pick<Block, 'lens'>): string[] => [...new Set(lens?.aggregates ?? [])];

export function checkDependencies({ template, blocks }: Draft): TemplateProblem[] {
  return template.blocks.flatMap((block, index) => [
    ...(block.inputs.depends ?? []).flatMap(({ block: from, key }, item) => {
      const path = ['blocks', index, 'inputs', 'depends', item];
      if (from === undefined || key === undefined) {
        const lacks = from === undefined ? 'block' : 'key';
        return [at(path, `A dependency needs its "${lacks}".`, `Add "${lacks}".`)];
      }
      if (from === block.id) {
        return [at([...path, 'block'], `Block "${from}" depends on itself.`, 'Remove this dependency.')];
      }
      const source = blocks.get(from);
      if (!source) {
        const others = [...blocks.keys()].filter((id) => id !== block.id);
        const fix = suggest(from, others, 'Remove this dependency.');
        return [at([...path, 'block'], `There is no block "${from}".`, fix)];
      }
      const keys = artifactKeys(source);
      if (keys.includes(key)) return [];
      const fix = suggest(key, keys, `Declare "${key}" in outputs.artifacts of "${from}".`);
      return [at([...path, 'key'], `Block "${from}" has no artifact "${key}".`, fix)];
    }),
    ...(block.lens?.aggregates ?? []).flatMap((from, item) => {
      const path = ['blocks', index, 'lens', 'aggregates', item];
      if (from === block.id) return [at(path, `Block "${from}" aggregates itself.`, 'Remove it.')];
      const source = blocks.get(from);
      if (!source) {
        const others = [...blocks.keys()].filter((id) => id !== block.id);
        return [at(path, `There is no block "${from}".`, suggest(from, others, 'Remove it.'))];
      }
      if (artifactKeys(source).length > 0) return [];
      const message = `Block "${from}" has no artifacts, so there is nothing to aggregate.`;
      return [at(path, message, `Declare them in outputs.artifacts of "${from}", or remove it.`)];
    }),
  ]);
}
