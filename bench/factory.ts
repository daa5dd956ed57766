/** `factory`: the clone factory with no-op skills, against the bare workflow of the same shape, in turn. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNoopRuntime } from '../activities';
import { compileTemplate } from '../src/factory/compile';
import { PACKAGE_ROOT } from '../src/home';
import { startFloor } from './floor';
import { prepareGround } from './ground';
import { latency, median, throughput, timed, type Line } from './report';
import { openYard, type BenchYard } from './yard';

const RUNS = 30;
const WARM_UP = 3;
const AT_ONCE = 50;
const ROUNDS = 3;

export async function* factoryBench(note: (text: string) => void): AsyncGenerator<Line> {
  const ground = await prepareGround(note);
  const floor = await startFloor(ground);
  const yard = await openYard(ground, createNoopRuntime());
  const template = await ungatedCloneFactory();
  const run = (): Promise<void> => runOnce(yard, template);
  try {
    note(`factory: ${RUNS} runs one after the other, in turn with the floor`);
    const [times, floors]: [number[], number[]] = [[], []];
    for (let n = -WARM_UP; n < RUNS; n += 1) {
      const [bare, ours] = [await timed(() => floor.run('ordinary')), await timed(run)];
      if (n < 0) continue;
      floors.push(bare);
      times.push(ours);
    }
    yield latency('factory', 'one run', times, floors);

    note(`factory: ${AT_ONCE} runs at once, ${ROUNDS} times, in turn with the floor`);
    const [rates, floorRates]: [number[], number[]] = [[], []];
    for (let n = 0; n < ROUNDS; n += 1) {
      floorRates.push(await floor.rate(AT_ONCE, 'ordinary'));
      const took = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, run)));
      rates.push((1000 * AT_ONCE) / took);
    }
    yield throughput(
      'factory',
      `${AT_ONCE} runs at once`,
      AT_ONCE * ROUNDS,
      median(rates),
      median(floorRates),
    );
  } finally {
    await yard.close();
    await floor.stop();
    await ground.close();
  }
}

async function runOnce({ runs, client }: BenchYard, template: object): Promise<void> {
  const parameters = { expert_name: 'Nobody', expert_slug: 'nobody', publish_domain: 'example.org' };
  const started = await runs.start({ template, parameters, startedBy: 'bench', run: null });
  if (started.isErr()) throw new Error(started.error.message);
  await client.workflow.getHandle(started.value.run).result();
}

/** Gates wait for people, who are part of neither side. */
async function ungatedCloneFactory(): Promise<object> {
  const text = await readFile(join(PACKAGE_ROOT, 'factories', 'clone-factory.json'), 'utf8');
  const template = JSON.parse(text) as { blocks: { execution: object }[]; human_gates: unknown[] };
  const blocks = template.blocks.map((block) => ({
    ...block,
    execution: { ...block.execution, human_gate: 'none' },
  }));
  const ungated = { ...template, blocks, human_gates: [] };
  const compiled = compileTemplate(ungated);
  if (compiled.isErr()) throw new Error(compiled.error.message);
  return ungated;
}
