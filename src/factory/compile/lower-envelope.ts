/**
 * The stage where a block's node envelope becomes ops. For now it lowers nothing: a block without `node`, or with an
 * empty one, compiles to the same bytes, and anything in it is refused.
 */
import { at, type Block, type TemplateProblem } from '../schema';
import { type Draft } from './draft';

/** A block without its envelope. */
export function lowerEnvelope(block: Block): Omit<Block, 'node'> {
  const { node: _node, ...lowered } = block;
  return lowered;
}

export function checkEnvelopes({ template }: Draft): TemplateProblem[] {
  return template.blocks.flatMap(({ node }, index) => {
    if (Object.keys(node ?? {}).length === 0) return [];
    const message = 'Node envelopes are not supported by this version.';
    return [at(['blocks', index, 'node'], message, 'Remove "node".')];
  });
}
