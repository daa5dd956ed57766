/** Ids: they become workflow ids `<template>.<block>`, file names and URLs, and `__` is kept for clones of a block. */
import { at, type TemplateProblem } from '../schema';
import { type Draft } from './draft';

const ID = /^[a-z][a-z0-9_-]*$/;
/** A run's id is its factory's and some more, and a name of a file has at most 255 bytes. */
const MAX_LENGTH = 100;
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
  if (id.length > MAX_LENGTH)
    return `The id has ${id.length} characters; at most ${MAX_LENGTH} are possible.`;
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
      .replace(/^[^a-z]+/, '') || otherwise;
  for (let n = 1; ; n++) {
    const candidate = shorten(id, n === 1 ? '' : `-${n}`);
    if (!taken.has(candidate)) return candidate;
  }
}

/** As much of an id as leaves room for what is put behind it. */
function shorten(id: string, suffix: string): string {
  return `${id.slice(0, MAX_LENGTH - suffix.length).replace(/[-_]+$/, '')}${suffix}`;
}
