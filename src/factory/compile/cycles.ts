/** Cycles, each shown once, as the shortest path that comes back to its first block in template order. */
import { at, type TemplateProblem } from '../schema';
import { dependenciesOf } from './dependencies';
import { type Draft } from './draft';

type Edges = ReadonlyMap<string, readonly string[]>;

export function checkCycles({ template, blocks }: Draft): TemplateProblem[] {
  const needs = new Map(
    [...blocks].map(([id, block]) => [
      id,
      dependenciesOf(block)
        .map((dependency) => dependency.block)
        .filter((from) => from !== id && blocks.has(from)),
    ]),
  );
  const suspects = withoutLeaves(needs);
  const shown = new Set<string>();
  return [...suspects].flatMap((id) => {
    const cycle = shown.has(id) ? null : shortestCycle(id, needs, suspects);
    if (!cycle) return [];
    for (const member of cycle) shown.add(member);
    const index = template.blocks.findIndex((block) => block.id === id);
    const depends = template.blocks[index]?.inputs.depends ?? [];
    const item = depends.findIndex((dependency) => dependency.block === (cycle[1] ?? id));
    return [
      at(
        ['blocks', index, 'inputs', 'depends', item],
        `The blocks wait for each other in a circle: ${[...cycle, id].join(' → ')} (each needs the next).`,
        'Remove one of these dependencies.',
      ),
    ];
  });
}

/** The blocks left when those that need nothing (any more) are taken away, again and again. */
function withoutLeaves(needs: Edges): Set<string> {
  const open = new Map([...needs].map(([id, from]) => [id, new Set(from).size]));
  const neededBy = new Map([...needs.keys()].map((id): [string, string[]] => [id, []]));
  for (const [id, from] of needs) for (const one of new Set(from)) neededBy.get(one)?.push(id);
  const free = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    open.delete(id);
    for (const user of neededBy.get(id) ?? []) {
      const count = (open.get(user) ?? 0) - 1;
      open.set(user, count);
      if (count === 0) free.push(user);
    }
  }
  return new Set(open.keys());
}

/** Breadth first from a block back to itself; null where it only waits for a cycle without being in one. */
function shortestCycle(start: string, needs: Edges, among: ReadonlySet<string>): string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const here of queue) {
    for (const next of needs.get(here) ?? []) {
      if (next === start) return pathTo(here, cameFrom);
      if (!among.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, here);
      queue.push(next);
    }
  }
  return null;
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path: string[] = [];
  for (let here: string | undefined = end; here !== undefined; here = cameFrom.get(here)) path.unshift(here);
  return path;
}
