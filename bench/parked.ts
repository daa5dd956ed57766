/**
 * `parked`: what a run that waits at a gate costs its worker, against a bare workflow that waits for a signal. A slot is
 * held by neither: one more factory goes through among them to its end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createNoopRuntime } from '../activities';
import { startFloor } from './floor';
import { prepareGround } from './ground';
import { memory, type Line } from './report';
import { openYard, type BenchYard } from './yard';

const RUNS = 1_000;
const AT_ONCE = 25;
/** The first ones pay for code that all of them share. */
const WARM_UP = 100;

export async function* parkedBench(note: (text: string) => void): AsyncGenerator<Line> {
  const ground = await prepareGround(note);
  const floor = await startFloor(ground);
  const yard = await openYard(ground, createNoopRuntime());
  const park = async (): Promise<void> => untilParked(yard, await start(yard, gated));
  try {
    await inBatches(WARM_UP, () => floor.park());
    await inBatches(WARM_UP, park);
    note(`parked: ${RUNS} bare workflows`);
    const bare = await grownBy(() => inBatches(RUNS, () => floor.park()));
    note(`parked: ${RUNS} runs at a gate`);
    const ours = await grownBy(() => inBatches(RUNS, park));
    const free = await start(yard, { ...gated, human_gates: [] });
    await ground.client.workflow.getHandle(free).result();
    note(`a run without a gate went through among ${RUNS} that wait`);
    yield memory('parked', 'worker memory for each run', RUNS, ours / RUNS, bare / RUNS);
  } finally {
    await yard.close();
    await floor.stop();
    await ground.close();
  }
}

const gated = {
  factory: { id: 'parked', name: 'Parked' },
  blocks: [
    {
      id: 'only',
      name: 'Only',
      layer: 'L0',
      type: 'build',
      skill: 'word-counter',
      trigger: { type: 'dependency' },
      inputs: {},
      outputs: { artifacts: [{ key: 'out', path: '{{workspace}}/out.json', format: 'json' }] },
      execution: {},
      lifecycle: { mode: 'one-shot' },
    },
  ],
  human_gates: [{ after_block: 'only', approvers: ['editor'] }],
};

async function start({ runs }: BenchYard, template: object): Promise<string> {
  const started = await runs.start({ template, parameters: {}, startedBy: 'bench', run: null });
  if (started.isErr()) throw new Error(started.error.message);
  return started.value.run;
}

async function untilParked({ runs }: BenchYard, run: string): Promise<void> {
  for (;;) {
    const view = await runs.read(run);
    if (view.isOk() && view.value.blocks[0]?.status === 'waiting') return;
    await sleep(100);
  }
}

async function inBatches(count: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, work));
  }
}

/** By how many kilobytes the process grew. The worker's workflows live in threads of this process. */
async function grownBy(work: () => Promise<void>): Promise<number> {
  const settled = async (): Promise<number> => {
    await sleep(3_000);
    return process.memoryUsage.rss() / 1024;
  };
  const before = await settled();
  await work();
  return (await settled()) - before;
}
