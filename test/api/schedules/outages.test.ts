import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { FactoryRuns } from '../../../api/factory-runs';
import { scheduledRunActivities, Schedules } from '../../../api/schedules';
import { closeClient } from '../../../api/temporal-calls';
import { until } from '../../cli/railyard';
import { factory, gateAfter, scripted } from '../../yard/templates';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

const gated = factory([scripted('a')], { human_gates: [gateAfter('a')] });

describe('a worker that dies after it has prepared a run', () => {
  it('is followed by one that starts this run, once, in the workspace that was claimed', async () => {
    const { yard } = scene.caller;
    const workspace = yard.home.path('claimed');
    await scene.create('dies', gated, { parameters: { workspace_path: workspace } });
    await yard.stopWorker();
    const { run_id: run, scheduled_at: at } = (await scene.runNow('dies')).body;
    const tick = `railyard-${yard.home.store}-dies.1-${at.replace('.000', '')}`;
    await until(() =>
      yard.client.workflow
        .getHandle(tick)
        .describe()
        .then(({ status }) => status.name === 'RUNNING')
        .catch(() => false),
    );
    // What the worker did before it died, and could not tell.
    const prepared = await scheduledRunActivities(yard.runs).prepareScheduledRun(
      { schedule: 'dies', generation: 1 },
      tick,
    );
    expect(prepared).toMatchObject({ kind: 'prepared', run });
    const parameters = { workspace_path: workspace };
    const guest = await yard.runs.start({ template: gated, parameters, startedBy: 'sam', run: null });
    expect(guest._unsafeUnwrapErr()).toMatchObject({ code: 'WORKSPACE_BUSY', details: { run } });
    await yard.startWorker();
    await yard.untilBlock(run, 'a', 'waiting');
    await yard.decide(run, 'a');
    await yard.untilStatus(run, 'completed');
    expect(await scene.runsOf('dies')).toEqual([run]);
    expect((await scene.read('dies')).ticks).toHaveLength(1);
  });
});

describe('while Temporal is away', () => {
  it('what is recorded can be read, and changes are refused as TEMPORAL_AWAY', async () => {
    await scene.create('away');
    const { home, taskQueue } = scene.caller.yard.runs;
    const { ledger } = scene.caller.yard;
    // Nothing listens there.
    const connection = Connection.lazy({ address: '127.0.0.1:1' });
    const client = new Client({ connection });
    const schedules = new Schedules(new FactoryRuns({ home, client, ledger, taskQueue, skillDirs: [] }));
    const read = (await schedules.read('away'))._unsafeUnwrap();
    expect(read).toMatchObject({ name: 'away', started_by: 'sam', state: 'unknown', counts: null });
    const { schedules: listed } = await schedules.list({ limit: 10 });
    expect(listed).toContainEqual(expect.objectContaining({ name: 'away', state: 'unknown' }));
    for (const change of [
      schedules.pause('away', 'pause', { by: 'sam' }),
      schedules.runNow('away', null),
      schedules.delete('away'),
    ]) {
      expect((await change).isErr() && (await change)._unsafeUnwrapErr().code).toBe('TEMPORAL_AWAY');
    }
    expect((await scene.read('away')).state).toBe('active');
    await closeClient(client);
  });
});
