import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunStates } from '../../api/run-states';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

const gated = factory([scripted('page')], { human_gates: [gateAfter('page')] });

describe('the states of runs', () => {
  it('are asked for once by many who look together', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'page', 'waiting');
    const states = new RunStates(yard.client);
    const looks = await Promise.all(Array.from({ length: 50 }, () => states.look(run)));
    expect(new Set(looks.map((look) => look._unsafeUnwrap())).size).toBe(1);
  });

  it('show what a request did to whoever looks after its answer', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'page', 'waiting');
    for (let round = 0; round < 5; round++) {
      await yard.runs.read(run);
      await yard.control(run, { type: 'pause', by: 'carl' });
      expect((await yard.runs.read(run))._unsafeUnwrap().status).toBe('paused');
      await yard.control(run, { type: 'resume', by: 'carl' });
      expect((await yard.runs.read(run))._unsafeUnwrap().status).toBe('running');
    }
    await yard.control(run, { type: 'cancel', by: 'carl' });
  });

  it('are looked at anew after a while', async () => {
    const run = await yard.start(gated);
    const states = new RunStates(yard.client);
    await yard.untilBlock(run, 'page', 'waiting');
    await states.look(run);
    // Past these states: as another process would.
    await yard.decide(run, 'page');
    for (;;) {
      const { state } = (await states.look(run))._unsafeUnwrap();
      if (state.status === 'completed') break;
    }
  });
});
