/**
 * Cycles, each shown once, as the shortest path that comes back to its first block in template order. A block waits for
 * what it depends on and aggregates, and for every block behind a lower `scope.gate`.
 */
import { at, type Block, type TemplateProblem } from '../schema';
import { aggregatesOf } from './dependencies';
import { type Draft } from './draft';

type Edges = ReadonlyMap<string, readonly string[]>;

export function checkCycles({ template, blocks }: Draft): TemplateProblem[] {
  const behindGate = new Map<number, string[]>();
  for (const { id, scope, lifecycle } of blocks.values()) {
    const gate = scope?.gate;
    // Nobody waits at a scope gate for a block that may never run.
    if (typeof gate !== 'number' || lifecycle.mode !== 'one-shot') continue;
    behindGate.set(gate, [...(behindGate.get(gate) ?? []), id]);
  }
  const needsOf = ({ inputs, ...block }: Block): string[] => [
    ...(inputs.depends ?? []).flatMap(({ block: from }) => from ?? []),
    ...aggregatesOf(block),
    ...[...behindGate].flatMap(([gate, ids]) => (gate < (block.scope?.gate ?? 0) ? ids : [])),
  ];
  const needs = new Map(
    [...blocks].map(([id, block]) => [id, needsOf(block).filter((from) => from !== id && blocks.has(from))]),
  );
  const suspects = withoutLeaves(needs);
  const shown = new Set<string>();
  return [...suspects].flatMap((id) => {
    const cycle = shown.has(id) ? null : shortestCycle(id, needs, suspects);
    if (!cycle) return [];
    for (const member of cycle) shown.add(member);
    const index = template.blocks.findIndex((block) => block.id === id);
    const block = blocks.get(id);
    const gated = cycle.some((one) => (blocks.get(one)?.scope?.gate ?? null) !== null);
    return [
      at(
        ['blocks', index, ...(block ? edgeIn(block, cycle[1] ?? id) : [])],
        `The blocks wait for each other in a circle: ${[...cycle, id].join(' → ')} (each needs the next).`,
        gated
          ? 'Remove one of these dependencies, or change a "scope.gate": a block waits for all blocks with a lower one.'
          : 'Remove one of these dependencies.',
      ),
    ];
  });
}

/** Where a block says that it needs another. */
function edgeIn({ inputs, lens }: Block, to: string): PropertyKey[] {
  const depends = (inputs.depends ?? []).findIndex(({ block }) => block === to);
  if (depends >= 0) return ['inputs', 'depends', depends];
  const aggregates = (lens?.aggregates ?? []).indexOf(to);
  return aggregates >= 0 ? ['lens', 'aggregates', aggregates] : ['scope', 'gate'];
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
