import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection, ServiceError } from '@temporalio/client';
import { callTemporal, closeClient } from '../../api/temporal-calls';
import { type RailyardError } from '../../src/errors';
import { taskQueueOf } from '../../worker/factory-worker';
import { factory, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open({ updateTimeoutMs: 2_000 });
});
afterAll(() => yard.close());

/** What the SDK throws when the server refuses a call. */
const refused = (code: number, details: string): Error =>
  new ServiceError('Failed', { cause: Object.assign(new Error(details), { code, details, metadata: {} }) });

async function problemOf(error: Error): Promise<RailyardError> {
  const called = await callTemporal(yard.client, 'some-run', () => Promise.reject(error));
  return called._unsafeUnwrapErr();
}

describe('what Temporal refuses', () => {
  it.each([
    ['a deadline', refused(4, 'late'), 'TEMPORAL_AWAY', 'did not answer in time'],
    ['a server that is gone', refused(14, 'gone'), 'TEMPORAL_AWAY', 'cannot be reached'],
    ['a server that has too much to do', refused(8, 'rate limit'), 'TEMPORAL_AWAY', 'rate limit'],
    ['a failing workflow task', refused(9, 'Task in failed state.'), 'RUN_STUCK', 'Task in failed state.'],
    ['an unknown run', refused(5, 'no such'), 'RUN_ENDED', 'some-run'],
  ])('%s is an error with advice', async (_name, error, code, words) => {
    const problem = await problemOf(error);
    expect(problem.code).toBe(code);
    expect(problem.message).toContain(words);
    expect(problem.message).not.toContain('..');
    expect(problem.retry.kind).toBe(code === 'RUN_ENDED' ? 'not_retryable' : 'retryable_after_ms');
  });

  it('for another reason is a bug, and thrown', async () => {
    await expect(problemOf(refused(3, 'wrong argument'))).rejects.toThrow('Failed');
  });
});

describe('a client', () => {
  it('is closed when its calls are answered, and not before', async () => {
    // Nobody listens there: the SDK tries again until the deadline.
    const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
    let answered = 0;
    const called = [1, 2].map(async () => {
      const { code } = (
        await callTemporal(client, 'a', () => client.workflow.getHandle('a').describe())
      )._unsafeUnwrapErr();
      answered += 1;
      return code;
    });
    await closeClient(client);
    expect(answered).toBe(2);
    expect(await Promise.all(called)).toEqual(['TEMPORAL_AWAY', 'TEMPORAL_AWAY']);
  });
});

describe('a run whose code does not fit it', () => {
  it('is stuck where the worker fails the query', async () => {
    const run = await yard.start(factory([scripted('a')]));
    const handle = yard.client.workflow.getHandle(run);
    const asked = await callTemporal(yard.client, run, () => handle.query('a query of another version'));
    expect(asked._unsafeUnwrapErr()).toMatchObject({
      code: 'RUN_STUCK',
      message: expect.stringContaining('a query of another version'),
    });
    await yard.untilStatus(run, 'completed');
  });

  it('is stuck where its workflow task keeps failing, and says where to look', async () => {
    const run = await yard.start(factory([scripted('a')]));
    await yard.client.workflow.getHandle(run).result();
    // Under the id of a run that is known, a workflow that no worker has the code of.
    await yard.client.workflow.start('unknownWorkflow', {
      workflowId: run,
      taskQueue: taskQueueOf(yard.home),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    const stuck = await untilStuck(run);
    expect(stuck.code).toBe('RUN_STUCK');
    expect(stuck.message).toContain(run);
    expect(stuck.suggestion).toContain('go back to the version');
    await yard.client.workflow.getHandle(run).terminate();
  });
});

/** The server tries a failing task a few times before it says so; until then nobody answers. */
async function untilStuck(run: string): Promise<RailyardError> {
  for (;;) {
    const refused = await yard.control(run, { type: 'pause', by: 'rob' });
    if (refused && refused.code !== 'TEMPORAL_AWAY') return refused;
  }
}
