import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { RunLives } from '../../api/run-lives';
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
  it('show what a request did to whoever looks after its answer', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'page', 'waiting');
    for (let round = 0; round < 5; round++) {
      await yard.control(run, { type: 'pause', by: 'carl' });
      expect((await yard.runs.read(run))._unsafeUnwrap().status).toBe('paused');
      await yard.control(run, { type: 'resume', by: 'carl' });
      expect((await yard.runs.read(run))._unsafeUnwrap().status).toBe('running');
    }
    await yard.control(run, { type: 'cancel', by: 'carl' });
  });

  it('are read while Temporal is away', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'page', 'waiting');
    // Nothing listens there.
    const connection = Connection.lazy({ address: '127.0.0.1:1' });
    const lives = new RunLives(yard.home, new Client({ connection }), yard.runs.taskQueue);
    const states = new RunStates(yard.home, yard.ledger, lives);
    const seen = (await states.look(run))._unsafeUnwrap();
    expect(seen).toMatchObject({ orphaned: false, state: { status: 'running' } });
    await connection.close();
    await yard.control(run, { type: 'cancel', by: 'carl' });
  });
});

describe('a run whose workflow is gone', () => {
  it('is orphaned, refuses requests with the command that goes on with it, and goes on by that', async () => {
    const run = await yard.start(
      factory([scripted('a'), scripted('b', { needs: ['a'] })], { human_gates: [gateAfter('a')] }),
    );
    await yard.untilBlock(run, 'a', 'waiting');
    expect(await yard.view(run)).toMatchObject({ orphaned: false, resume_with: null });
    await yard.client.workflow.getHandle(run).terminate('as an operator would');
    const orphaned = await yard.until(run, (view) => view.orphaned);
    expect(orphaned).toMatchObject({ status: 'running', resume_with: `railyard resume ${run}` });
    expect(await yard.runs.reader.list(1)).toMatchObject([{ run_id: run, status: 'orphaned', done: 0 }]);
    const refused = await yard.control(run, { type: 'pause', by: 'rob' });
    expect(refused).toMatchObject({
      code: 'RUN_ORPHANED',
      suggestion: expect.stringContaining(`railyard resume ${run}`),
    });
    expect(await yard.control(run, { type: 'resume', by: 'rob' })).toBeNull();
    expect(await yard.view(run)).toMatchObject({ orphaned: false });
    expect(await yard.decide(run, 'a')).toBe('decided');
    const done = await yard.untilStatus(run, 'completed');
    expect(done.blocks.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'done'],
      [1, 'done'],
    ]);
  });
});
