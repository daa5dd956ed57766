import { type Block, type Template } from '../schema';

/** A template that fits its schema, on its way through the checks. */
export interface Draft {
  readonly template: Template;
  /** By id; of blocks with the same id, the first. */
  readonly blocks: ReadonlyMap<string, Block>;
}

export function draftOf(template: Template): Draft {
  const blocks = new Map<string, Block>();
  for (const block of template.blocks) if (!blocks.has(block.id)) blocks.set(block.id, block);
  return { template, blocks };
}

/** The declared artifact keys of a block. */
export function artifactKeys(block: Block): string[] {
  return (block.outputs.artifacts ?? []).flatMap(({ key }) => (key === undefined ? [] : [key]));
}

/** The declared metric keys of a block. */
export function metricKeys(block: Block): string[] {
  return (block.outputs.metrics ?? []).flatMap(({ key }) => (key === undefined ? [] : [key]));
}
