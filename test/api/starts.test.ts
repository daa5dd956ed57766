import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readRun, saveRun } from '../../src/home';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

let yard: Yard;
let folder: string;
beforeAll(async () => {
  yard = await Yard.open();
  folder = await mkdtemp(join(tmpdir(), 'railyard-starts-'));
});
afterAll(async () => {
  await yard.close();
  await rm(folder, { recursive: true, force: true });
});

const gated = factory([scripted('a')], { human_gates: [gateAfter('a')] });

async function start(run: string | null, workspace: string): Promise<string> {
  const parameters = { workspace_path: workspace };
  const started = await yard.runs.start({ template: gated, parameters, startedBy: 'sam', run });
  return started.isOk() ? 'started' : started.error.code;
}

describe('a workspace', () => {
  it('gets one live run, however many are started at the same moment', async () => {
    const workspace = join(folder, 'wanted');
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(null, workspace)));
    expect(answers.sort()).toEqual([...Array<string>(4).fill('WORKSPACE_BUSY'), 'started']);
  });

  it('is not given up by a start that is refused', async () => {
    const [mine, other] = [join(folder, 'mine'), join(folder, 'other')];
    expect(await start('owner', mine)).toBe('started');
    expect(await start('owner', other)).toBe('RUN_EXISTS');
    expect(await start('guest', mine)).toBe('WORKSPACE_BUSY');
  });
});

describe('a start that got no further than its record', () => {
  it('is shown as orphaned, and taken up again under the same id', async () => {
    const workspace = join(folder, 'again');
    expect(await start('first', workspace)).toBe('started');
    const record = readRun(yard.home, 'first')._unsafeUnwrap();
    await saveRun(yard.home, { ...record, run: 'halfway', sessionId: 'halfway' });
    expect((await yard.runs.read('halfway'))._unsafeUnwrapErr().code).toBe('RUN_ORPHANED');
    const lines = await yard.runs.reader.list(10);
    expect(lines.find(({ run_id }) => run_id === 'halfway')).toMatchObject({ status: 'orphaned' });
    expect(await start('halfway', join(folder, 'elsewhere'))).toBe('RUN_EXISTS');
    expect(await start('halfway', workspace)).toBe('started');
    expect(await start('halfway', workspace)).toBe('RUN_EXISTS');
  });
});

describe('a signal', () => {
  it('of any shape but ours is ignored, and the run goes on', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'a', 'waiting');
    const handle = yard.client.workflow.getHandle(run);
    for (const nonsense of [undefined, null, {}, { decision: 1, signature: [] }]) {
      await handle.signal('gateDecision', nonsense);
    }
    expect(await yard.decide(run, 'a')).toBe('decided');
    await yard.untilStatus(run, 'completed');
  });
});

describe('a state that is too large to carry', () => {
  it('is read without its notes and metrics, and the run still ends', async () => {
    const metrics = Object.fromEntries(
      Array.from({ length: 150 }, (_, n) => [`metric-${n}`, '測'.repeat(30)]),
    );
    const blocks = Array.from({ length: 130 }, (_, n) => scripted(`b${n}`, { script: [{ metrics }] }));
    const run = await yard.start(factory(blocks));
    const ended = await yard.untilStatus(run, 'completed');
    expect(ended.counts.done).toBe(130);
    expect(ended.blocks[0]).toMatchObject({ metrics: {}, artifacts: [{ key: 'out' }] });
  });
});
