import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { type MockActivityEnvironment } from '@temporalio/testing';
import { endAfterwards, environment, isAlive, pidIn, scene, type Scene } from './scene';

/** An attempt that hangs, cancelled in the midst of it. */
async function cancelled(how: (env: MockActivityEnvironment) => void) {
  const here = scene('hangs');
  const env = environment();
  const running = here.run({}, env).then(
    (outcome) => ({ outcome, error: null }),
    (error: unknown) => ({ outcome: null, error }),
  );
  const pid = endAfterwards(await pidIn(join(here.workspace, 'hanging')));
  how(env);
  const end = await running;
  expect(isAlive(pid)).toBe(false);
  return { ...end, here };
}

const isRecorded = async (here: Scene): Promise<boolean> => (await here.recorded()) !== null;

describe('cancelling an attempt', () => {
  it('is its outcome, where somebody asked for it', async () => {
    const { outcome, here } = await cancelled((env) => env.cancel());
    expect(outcome).toEqual({
      kind: 'failed',
      failure: 'cancelled',
      error: 'The skill "hangs" was cancelled.',
      metrics: {},
      standIn: { ran: 'local-program', asked: 'claude-cli' },
    });
    expect(await here.recorded()).toEqual(outcome);
  });

  it.each([
    ['with details', new ActivityCancellationDetails({ workerShutdown: true })],
    ['without details', new ActivityCancellationDetails()],
  ])('hands it back to Temporal where the worker shuts down (%s)', async (_how, details) => {
    const { error, here } = await cancelled((env) => env.cancel('WORKER_SHUTDOWN', details));
    expect(error).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
    expect(await isRecorded(here)).toBe(false);
    // The next worker executes it: there is nothing in its way.
    const next = scene('writes-file', {}, { root: dirname(here.workspace) });
    expect(await next.run()).toMatchObject({ kind: 'succeeded' });
  });

  it.each(['NOT_FOUND', 'TIMED_OUT', 'PAUSED', 'RESET'] as const)(
    'leaves its outcome to the next execution where Temporal says %s',
    async (reason) => {
      const { error, here } = await cancelled((env) => env.cancel(reason, new ActivityCancellationDetails()));
      expect(error).toBeInstanceOf(CancelledFailure);
      expect(await isRecorded(here)).toBe(false);
    },
  );

  it('before it starts runs no skill', async () => {
    const here = scene('hangs');
    const env = environment();
    env.cancel();
    expect(await here.run({}, env)).toMatchObject({ kind: 'failed', failure: 'cancelled' });
    expect(existsSync(join(here.workspace, 'hanging'))).toBe(false);
  });
});
