/** A compiled factory as a picture: blocks with layer, gates and thresholds, groups as frames, edges by artifact key. */
import { type CompiledBlock, type CompiledFactory } from './compiled-factory';

export type GraphFormat = 'mermaid' | 'dot';

export function graph(compiled: CompiledFactory, format: GraphFormat): string {
  const lines = format === 'mermaid' ? mermaid(compiled) : dot(compiled);
  return `${lines.join('\n')}\n`;
}

function mermaid(compiled: CompiledFactory): string[] {
  // Nodes by position: an id such as `end` is a word of Mermaid's own.
  const node = new Map(compiled.blocks.map((block, index) => [block.id, `b${index}`]));
  const draw = (block: CompiledBlock): string =>
    `${node.get(block.id) ?? ''}["${labelOf(block).map(mermaidText).join('<br/>')}"]`;
  return [
    'flowchart TD',
    ...compiled.groups.flatMap(({ name }, index) => [
      `  subgraph g${index}["${mermaidText(name)}"]`,
      ...members(compiled, name).map((block) => `    ${draw(block)}`),
      '  end',
    ]),
    ...members(compiled, null).map((block) => `  ${draw(block)}`),
    ...edgesOf(compiled).map(
      ({ from, to, keys }) =>
        `  ${node.get(from) ?? ''} -->|"${mermaidText(keys.join(', '))}"| ${node.get(to) ?? ''}`,
    ),
  ];
}

function dot(compiled: CompiledFactory): string[] {
  const draw = (block: CompiledBlock): string =>
    `${dotText(block.id)} [label=${dotText(...labelOf(block))}];`;
  return [
    `digraph ${dotText(compiled.factory.id)} {`,
    '  node [shape=box];',
    ...compiled.groups.flatMap(({ name }, index) => [
      `  subgraph cluster_${index} {`,
      `    label=${dotText(name)};`,
      ...members(compiled, name).map((block) => `    ${draw(block)}`),
      '  }',
    ]),
    ...members(compiled, null).map((block) => `  ${draw(block)}`),
    ...edgesOf(compiled).map(
      ({ from, to, keys }) => `  ${dotText(from)} -> ${dotText(to)} [label=${dotText(keys.join(', '))}];`,
    ),
    '}',
  ];
}

const members = (compiled: CompiledFactory, group: string | null): CompiledBlock[] =>
  compiled.blocks.filter((block) => block.group === group);

/** The lines of a block's label. */
function labelOf({ id, layer, gates, thresholds }: CompiledBlock): string[] {
  const gate = (side: 'before' | 'after'): string[] => {
    const rule = gates[side];
    return rule ? [`gate ${side}${rule.approvers.length > 0 ? `: ${rule.approvers.join(', ')}` : ''}`] : [];
  };
  const quality = thresholds.map(({ metric, min }) => `${metric} ≥ ${min}`);
  return [id, layer, ...gate('before'), ...quality, ...gate('after')];
}

/** One edge for each pair of blocks, with all its keys. */
function edgesOf(compiled: CompiledFactory): { from: string; to: string; keys: string[] }[] {
  return compiled.blocks.flatMap(({ id, depends }) =>
    [...new Set(depends.map(({ block }) => block))].map((from) => ({
      from,
      to: id,
      keys: depends.filter(({ block }) => block === from).map(({ key }) => key),
    })),
  );
}

/** Mermaid has its own entities, and reads Markdown and HTML in labels. */
const mermaidText = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,:_≥-]/gu, (character) => `#${character.codePointAt(0) ?? 0};`);

/** A quoted string of lines. */
const dotText = (...lines: string[]): string =>
  `"${lines.map((line) => line.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, ' ')).join('\\n')}"`;
