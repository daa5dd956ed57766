/** The bare workflow: no-op activities along the edges of a graph, and nothing else. */
import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';

/** A node, and the ones that must be done before it. */
export interface FloorNode {
  readonly id: string;
  readonly needs: readonly string[];
}

interface FloorActivities {
  noop(id: string): Promise<string>;
}

const ordinary = proxyActivities<FloorActivities>({ startToCloseTimeout: 60_000 });
const local = proxyLocalActivities<FloorActivities>({ startToCloseTimeout: 60_000 });

export async function floor(nodes: readonly FloorNode[], kind: 'ordinary' | 'local'): Promise<number> {
  const { noop } = kind === 'ordinary' ? ordinary : local;
  const done = new Map<string, Promise<string>>();
  const run = (node: FloorNode): Promise<string> =>
    Promise.all(node.needs.map((id) => done.get(id) ?? Promise.resolve(''))).then(() => noop(node.id));
  // Template order is an order of the graph only by luck, so nodes are taken when all they need is known.
  let left = [...nodes];
  while (left.length > 0) {
    const next = left.filter(({ needs }) => needs.every((id) => done.has(id)));
    if (next.length === 0) throw new Error('The graph has a cycle');
    for (const node of next) done.set(node.id, run(node));
    left = left.filter((node) => !next.includes(node));
  }
  await Promise.all(done.values());
  return done.size;
}

/** Waits for a signal, as a run at a gate does. */
export async function park(): Promise<void> {
  let woken = false;
  setHandler(defineSignal('wake'), () => {
    woken = true;
  });
  await condition(() => woken);
}
