/** What a block is told of its run and of earlier ones, and what it tells of its records: in whole runs. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SkillRequest } from '../../activities';
import { type JsonObject } from '../../src/canonical';
import { type Block, type Template } from '../../src/factory/schema';
import { attemptDir } from '../../src/home';
import { factory, gateAfter, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

async function told(run: string, block: string, attempt = 1): Promise<SkillRequest> {
  const text = await readFile(`${attemptDir(yard.home, run, block, attempt)}/request.json`, 'utf8');
  return JSON.parse(text) as SkillRequest;
}

async function start(template: Template, parameters: JsonObject): Promise<string> {
  const started = await yard.runs.start({ template, parameters, startedBy: 'sam', run: null });
  return started._unsafeUnwrap().run;
}

describe('a block with a feedback loop', () => {
  const script = (text: string) => [{ text }];
  /** `text` is what the block writes; the parameters say what kind of run it is. */
  const loop = (text: string, id = 'loops'): Template => ({
    ...factory([
      { ...scripted('a', { script: script(text) }), lens: { feedback_loop: true } },
      scripted('b', { needs: ['a'] }),
    ]),
    factory: { id, name: id },
    config: { expert: '{{expert}}' },
  });

  /** What the block was handed from the run before, as text; null: nothing. */
  async function handed(run: string): Promise<string | null> {
    const artifact = (await told(run, 'a')).previous_run?.artifacts[0];
    return artifact ? readFile(artifact.path, 'utf8') : null;
  }

  async function completed(template: Template, parameters: JsonObject): Promise<string> {
    const run = await start(template, parameters);
    await yard.untilStatus(run, 'completed');
    return run;
  }

  it('gets what it left in the last completed run of the factory with the same parameters', async () => {
    const ada = { expert: 'ada', level: 1 };
    expect(await handed(await completed(loop('first'), ada))).toBeNull();
    expect(await handed(await completed(loop('second'), { level: 1, expert: 'ada' }))).toBe('first');
    expect(await handed(await completed(loop('third'), ada))).toBe('second');
    expect(await handed(await completed(loop('x'), { ...ada, level: 2 }))).toBeNull();
    expect(await handed(await completed(loop('x', 'other'), ada))).toBeNull();
    expect((await told(await completed(loop('fourth'), ada), 'b')).previous_run).toBeNull();
  });

  it('gets nothing of runs that were not completed, and the same after a restart of the worker', async () => {
    const bob = { expert: 'bob' };
    await completed(loop('good'), bob);
    const cancelled = await start({ ...loop('bad'), human_gates: [gateAfter('b')] }, bob);
    await yard.untilBlock(cancelled, 'b', 'waiting');
    await yard.control(cancelled, { type: 'cancel', by: 'carl' });
    await yard.untilStatus(cancelled, 'cancelled');
    await yard.stopWorker();
    await yard.startWorker();
    expect(await handed(await completed(loop('next'), bob))).toBe('good');
  });

  it('gets the same in every attempt of its run, whatever is completed meanwhile', async () => {
    const cara = { expert: 'cara' };
    await completed(loop('before'), cara);
    const go = yard.home.path('go-loop');
    const slow: Block = {
      ...scripted('a', { script: [{ until: go, fail: 'once' }, {}] }),
      lens: { feedback_loop: true },
    };
    const run = await start({ ...loop(''), blocks: [slow] }, cara);
    await yard.untilBlock(run, 'a', 'running');
    await completed(loop('meanwhile'), cara);
    await writeFile(go, '');
    await yard.untilStatus(run, 'completed');
    const digests = await Promise.all(
      [1, 2].map(async (n) => (await told(run, 'a', n)).previous_run?.artifacts[0]?.digest),
    );
    expect(digests[0]).toBe(digests[1]);
    expect(await handed(run)).toBe('before');
  });
});

describe('the perspective and the parameters of a block', () => {
  it('are told to its skill: its own run_params stand over those of the run, for it alone', async () => {
    const template: Template = {
      ...factory([
        {
          ...scripted('a'),
          lens: { perspective: 'as {{reader}} reads it' },
          scope: { run_params: { reader: 'a newcomer', extra: ['{{expert}}'] } },
        },
        scripted('b'),
      ]),
      config: { expert: '{{expert}}', reader: '{{reader}}' },
    };
    const run = await start(template, { expert: 'ada', reader: 'everybody' });
    await yard.untilStatus(run, 'completed');
    expect(await told(run, 'a')).toMatchObject({
      perspective: 'as a newcomer reads it',
      parameters: { expert: 'ada', reader: 'a newcomer', extra: ['ada'] },
    });
    expect(await told(run, 'b')).toMatchObject({
      perspective: null,
      parameters: { expert: 'ada', reader: 'everybody' },
    });
  });
});

describe('the records of a block', () => {
  const tracked = (...states: string[]): Block => ({
    ...scripted('a', {
      script: [{ records: states.map((state, at) => ({ id: `r${at}`, state })) }],
      execution: { max_retries: 0 },
    }),
    record_state: { track_per: 'module', states: ['draft', 'final'] },
  });

  it('are counted by state in what is shown of the run', async () => {
    const run = await yard.start(factory([tracked('draft', 'final', 'final'), scripted('b')]));
    const done = await yard.untilStatus(run, 'completed');
    expect(blockOf(done, 'a').record_counts).toEqual({ draft: 1, final: 2 });
    expect(blockOf(done, 'b').record_counts).toEqual({});
    expect((await told(run, 'a')).record_state).toEqual({ track_per: 'module', states: ['draft', 'final'] });
  });

  it('in a state that the block does not list are an error that names it', async () => {
    const run = await yard.start(factory([tracked('final', 'lost')]));
    const failed = await yard.untilStatus(run, 'failed');
    expect(blockOf(failed, 'a').error).toContain(
      '"r1" is in the state "lost", which is none of: draft, final',
    );
    await yard.control(run, { type: 'cancel', by: 'carl' });
  });
});
