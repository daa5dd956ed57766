/** `floor`: what Temporal itself costs for 18 steps in the shape of the clone factory. */
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { compileTemplate } from '../src/factory/compile';
import { PACKAGE_ROOT } from '../src/home';
import { prepareGround, type Ground } from './ground';
import { latency, median, throughput, timed, type Line } from './report';
import { type FloorNode } from './workflows/floor';

const RUNS = 30;
const WARM_UP = 3;
const AT_ONCE = 50;
const ROUNDS = 3;
const TASK_QUEUE = 'bench-floor';

export async function* floorBench(note: (text: string) => void): AsyncGenerator<Line> {
  const ground = await prepareGround(note);
  const floor = await startFloor(ground);
  try {
    note(`floor: ${RUNS} runs one after the other, ordinary and local activities in turn`);
    const [ordinary, local]: [number[], number[]] = [[], []];
    for (let n = -WARM_UP; n < RUNS; n += 1) {
      const [a, b] = [await timed(() => floor.run('ordinary')), await timed(() => floor.run('local'))];
      if (n < 0) continue;
      ordinary.push(a);
      local.push(b);
    }
    yield latency('floor', 'one run', ordinary, ordinary);
    yield latency('floor', 'one run, local activities', local, ordinary);

    note(`floor: ${AT_ONCE} runs at once, ${ROUNDS} times`);
    const [many, manyLocal]: [number[], number[]] = [[], []];
    for (let n = 0; n < ROUNDS; n += 1) {
      many.push(await floor.rate(AT_ONCE, 'ordinary'));
      manyLocal.push(await floor.rate(AT_ONCE, 'local'));
    }
    yield throughput('floor', `${AT_ONCE} runs at once`, AT_ONCE * ROUNDS, median(many), median(many));
    yield throughput(
      'floor',
      `${AT_ONCE} at once, local activities`,
      AT_ONCE * ROUNDS,
      median(manyLocal),
      median(many),
    );
  } finally {
    await floor.stop();
    await ground.close();
  }
}

/** A worker for the bare workflow. */
export interface Floor {
  /** One run, to its end. */
  run(kind: 'ordinary' | 'local'): Promise<void>;
  /** Runs a second, with so many at once. */
  rate(atOnce: number, kind: 'ordinary' | 'local'): Promise<number>;
  /** Start a workflow that waits for a signal. */
  park(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFloor({ client, native }: Ground): Promise<Floor> {
  const nodes = await cloneFactoryShape();
  const worker = await Worker.create({
    connection: native,
    taskQueue: TASK_QUEUE,
    workflowsPath: join(PACKAGE_ROOT, 'bench', 'workflows', 'floor.ts'),
    activities: { noop: (id: string) => Promise.resolve(id) },
    maxCachedWorkflows: 2_000,
  });
  const running = worker.run();
  const run = async (kind: 'ordinary' | 'local'): Promise<void> => {
    await client.workflow.execute('floor', {
      workflowId: `floor-${randomUUID()}`,
      taskQueue: TASK_QUEUE,
      args: [nodes, kind],
    });
  };
  return {
    run,
    rate: async (atOnce, kind) => {
      const took = await timed(() => Promise.all(Array.from({ length: atOnce }, () => run(kind))));
      return (1000 * atOnce) / took;
    },
    park: async () => {
      await client.workflow.start('park', { workflowId: `park-${randomUUID()}`, taskQueue: TASK_QUEUE });
    },
    stop: async () => {
      worker.shutdown();
      await running;
    },
  };
}

/** The blocks of the shipped clone factory, as a bare graph. */
async function cloneFactoryShape(): Promise<readonly FloorNode[]> {
  const text = await readFile(join(PACKAGE_ROOT, 'factories', 'clone-factory.json'), 'utf8');
  const compiled = compileTemplate(text);
  if (compiled.isErr()) throw new Error(compiled.error.message);
  return compiled.value.plan.blocks.map(({ id, depends }) => ({
    id,
    needs: [...new Set(depends.map(({ block }) => block))],
  }));
}
