/** Edges: each `depends` item names an artifact of another block. */
import { at, suggest, type Block, type TemplateProblem } from '../schema';
import { type Dependency } from '../plan';
import { artifactKeys, type Draft } from './draft';

/** The dependencies of a block, each once, in authored order. */
export function dependenciesOf(block: Block): Dependency[] {
  const seen = new Set<string>();
  return (block.inputs.depends ?? []).flatMap(({ block: from, key }) => {
    if (from === undefined || key === undefined) return [];
    const name = JSON.stringify([from, key]);
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ block: from, key }];
  });
}

export function checkDependencies({ template, blocks }: Draft): TemplateProblem[] {
  return template.blocks.flatMap((block, index) =>
    (block.inputs.depends ?? []).flatMap(({ block: from, key }, item) => {
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
  );
}
