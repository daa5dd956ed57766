/**
 * Parallel groups. A block is in the group that lists it, or in the one its `execution.parallel_group` names; both may
 * say so, and then they must agree. A group that only blocks name is unlimited.
 */
import { type PlannedGroup } from '../plan';
import { at, suggest, type Template, type TemplateProblem } from '../schema';
import { type Draft } from './draft';

interface Listing {
  readonly name: string;
  readonly members: readonly string[];
  readonly maxConcurrent: number | null;
  /** Of the member array. */
  readonly path: readonly PropertyKey[];
}

/** The groups by name, their members in template order. */
export function groupsOf(template: Template): PlannedGroup[] {
  const listings = listingsOf(template);
  const limits = new Map(listings.map(({ name, maxConcurrent }) => [name, maxConcurrent]));
  const listedIn = new Map(listings.flatMap(({ name, members }) => members.map((id) => [id, name] as const)));
  const members = new Map<string, string[]>(listings.map(({ name }) => [name, []]));
  for (const block of template.blocks) {
    const name = listedIn.get(block.id) ?? block.execution.parallel_group;
    if (name) members.set(name, [...(members.get(name) ?? []), block.id]);
  }
  return [...members]
    .map(([name, blocks]) => ({ name, blocks, maxConcurrent: limits.get(name) ?? null }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function checkGroups({ template, blocks }: Draft): TemplateProblem[] {
  const listings = listingsOf(template);
  const listedIn = new Map<string, string>();
  const problems: TemplateProblem[] = [];
  for (const { name, members, path } of listings) {
    for (const [item, id] of members.entries()) {
      const block = blocks.get(id);
      const first = listedIn.get(id);
      const named = block?.execution.parallel_group;
      if (!block) {
        const fix = suggest(id, blocks.keys(), 'Remove it from the group.');
        problems.push(at([...path, item], `There is no block "${id}".`, fix));
      } else if (first !== undefined) {
        const message = `Block "${id}" is already in the group "${first}".`;
        problems.push(at([...path, item], message, 'Keep it in one group, once.'));
      } else if (typeof named === 'string' && named !== name) {
        const message = `Block "${id}" is listed in "${name}" but names the group "${named}".`;
        problems.push(
          at([...path, item], message, `Set parallel_group of "${id}" to "${name}", or move it.`),
        );
      }
      if (first === undefined) listedIn.set(id, name);
    }
  }
  const defined = new Set(listings.map(({ name }) => name));
  for (const [index, block] of template.blocks.entries()) {
    const named = block.execution.parallel_group;
    const where = ['blocks', index, 'execution', 'parallel_group'];
    if (named === '') problems.push(at(where, 'A group needs a name.', 'Use null for no group.'));
    if (typeof named !== 'string' || !defined.has(named) || listedIn.has(block.id)) continue;
    const message = `The group "${named}" does not list block "${block.id}".`;
    problems.push(at(where, message, `Add "${block.id}" to parallel_groups, or use null.`));
  }
  return problems;
}

function listingsOf(template: Template): Listing[] {
  return Object.entries(template.parallel_groups ?? {}).map(([name, group]) => {
    const path = ['parallel_groups', name];
    return Array.isArray(group)
      ? { name, members: group, maxConcurrent: null, path }
      : {
          name,
          members: group.blocks,
          maxConcurrent: group.max_concurrent ?? null,
          path: [...path, 'blocks'],
        };
  });
}
