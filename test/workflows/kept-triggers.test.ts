/** Triggers and events that come while no worker is there. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { type SkillRequest } from '../../activities';
import { sign, attemptDir } from '../../src/home';
import { KEPT_TRIGGER } from '../../workflows/messages';
import { factory, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open({ updateTimeoutMs: 1_000 });
});
afterAll(() => yard.close());

const template = factory([
  { ...scripted('by-hand'), trigger: { type: 'manual' } },
  { ...scripted('told'), trigger: { type: 'event', event: 'saved(status=final)' } },
]);

const asks = { type: 'trigger', block: 'by-hand', via: 'manual', id: 'one', by: 'tom', payload: 1 } as const;
const tells = { type: 'event', name: 'saved', id: 'two', by: 'eve', payload: { status: 'final' } } as const;

async function payloadOf(run: string, block: string): Promise<unknown> {
  const text = await readFile(`${attemptDir(yard.home, run, block, 1)}/request.json`, 'utf8');
  return (JSON.parse(text) as SkillRequest).trigger?.payload;
}

describe('while no worker is there,', () => {
  it('a trigger and an event are kept, however often they are sent, and the next worker takes each up once', async () => {
    const run = await yard.start(template);
    await yard.stopWorker();
    for (let times = 0; times < 2; times += 1) {
      expect((await yard.runs.fire(run, asks))._unsafeUnwrap()).toEqual({ kind: 'stored', block: 'by-hand' });
      expect((await yard.runs.fire(run, tells))._unsafeUnwrap()).toEqual({ kind: 'stored', event: 'saved' });
    }
    await yard.startWorker();
    const done = await yard.untilStatus(run, 'completed');
    expect(done.blocks.map(({ attempt, trigger }) => [attempt, trigger?.by])).toEqual([
      [1, 'tom'],
      [1, 'eve'],
    ]);
    expect([await payloadOf(run, 'by-hand'), await payloadOf(run, 'told')]).toEqual([1, { status: 'final' }]);
  });

  it('what no run of this plan would take is refused, and not kept', async () => {
    const run = await yard.start(template);
    await yard.stopWorker();
    const codes = await Promise.all(
      [
        { ...asks, block: 'nobody' },
        { ...asks, block: 'told' },
        { ...asks, payload: 'x'.repeat(70_000) },
      ].map(async (one) => (await yard.runs.fire(run, one))._unsafeUnwrapErr().code),
    );
    expect(codes).toEqual(['BLOCK_NOT_FOUND', 'INPUT_INVALID', 'BODY_TOO_LARGE']);
    await yard.startWorker();
    await yard.control(run, { type: 'cancel', by: 'carl' });
  });
});

describe('a trigger that comes by signal', () => {
  it('counts only with the signature of the store, for the run it was signed for', async () => {
    const [run, other] = [await yard.start(template), await yard.start(template)];
    const handle = yard.client.workflow.getHandle(run);
    const forged = [
      null,
      { request: asks },
      { request: asks, signature: 'forged' },
      { request: asks, signature: sign(yard.home, asks) },
      { request: asks, signature: sign(yard.home, { run: other, request: asks }) },
    ];
    for (const one of forged) await handle.signal(KEPT_TRIGGER, one);
    const genuine = { ...tells, id: 'genuine' };
    await handle.signal(KEPT_TRIGGER, {
      request: genuine,
      signature: sign(yard.home, { run, request: genuine }),
    });
    // Signals are taken up in their order.
    const view = await yard.untilBlock(run, 'told', 'done');
    expect(blockOf(view, 'by-hand')).toMatchObject({ status: 'pending', trigger: null });
    for (const one of [run, other]) await yard.control(one, { type: 'cancel', by: 'carl' });
  });
});
