/** Ids: they become workflow ids `<template>.<block>`, file names and URLs, and `__` is kept for clones of a block. */
import { at, type TemplateProblem } from '../schema';
import { type Draft } from './draft';

const ID = /^[a-z][a-z0-9_-]*$/;
/** `wr.*` is reserved for core workflows, `factory.*` for the factories themselves. */
const RESERVED = ['wr', 'factory'];

export function checkIds({ template }: Draft): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const factoryId = template.factory.id;
  const factoryFault = RESERVED.includes(factoryId) ? `"${factoryId}" is reserved.` : faultOf(factoryId);
  if (factoryFault !== null) {
    const use = idFrom(factoryId, 'my-factory', new Set(RESERVED));
    problems.push(at(['factory', 'id'], factoryFault, `Use "${use}".`));
  }

  const seen = new Map<string, number>();
  const taken = new Set(template.blocks.map((block) => block.id));
  for (const [index, { id }] of template.blocks.entries()) {
    const first = seen.get(id);
    const fault =
      first === undefined ? faultOf(id) : `The id "${id}" is already the id of block ${first + 1}.`;
    if (first === undefined) seen.set(id, index);
    if (fault === null) continue;
    const use = idFrom(id, `block-${index + 1}`, taken);
    taken.add(use);
    problems.push(at(['blocks', index, 'id'], fault, `Use "${use}".`));
  }
  return problems;
}

function faultOf(id: string): string | null {
  if (!ID.test(id)) return `The id "${id}" does not match [a-z][a-z0-9_-]*.`;
  return id.includes('__') ? `The id "${id}" contains "__", which is reserved.` : null;
}

/** The nearest good id that is not taken. */
function idFrom(text: string, otherwise: string, taken: ReadonlySet<string>): string {
  const id =
    text
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{Mark}/gu, '')
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/_{2,}/g, '_')
      .replace(/^[^a-z]+|[-_]+$/g, '') || otherwise;
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? id : `${id}-${n}`;
    if (!taken.has(candidate)) return candidate;
  }
}
