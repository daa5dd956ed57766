import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunView } from '../../api/run-view';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Home, WALKING, type Running } from './railyard';

let home: Home;
let up: Running;
beforeAll(async () => {
  home = await Home.make({ TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL });
  up = await home.up();
});
afterAll(() => home.remove());

/** As the shell's `railyard … | true` does. */
const leave = (running: Running): void => void running.child.stdout?.destroy();

/** A command whose reader is gone before it prints anything. */
function unread(...args: readonly string[]): Running {
  const running = home.start(args);
  leave(running);
  return running;
}

describe('when the reader of a pipe has left', () => {
  it('a command ends quietly, and a refused one still with its exit code', async () => {
    expect(await unread('graph', WALKING).ended).toMatchObject({ code: 0, err: '' });
    expect(await unread('status', 'nobody', '--json').ended).toMatchObject({ code: 4, err: '' });
  });

  it('following a run ends as by Ctrl-C, and the run goes on', async () => {
    const template = join(home.root, 'gated.json');
    const blocks = [scripted('a'), scripted('b', { needs: ['a'], script: [{ hang: true }] })];
    await writeFile(template, JSON.stringify(factory(blocks, { human_gates: [gateAfter('a')] })));
    const run = home.start(['run', template, '--id', 'unread', '--as', 'sam']);
    await run.untilOut('waits for');
    leave(run);
    expect((await home.run('approve', 'unread', 'a', '--as', 'ann')).code).toBe(0);
    expect(await run.ended).toMatchObject({ code: 130, err: '' });
    expect((await home.json<RunView>('status', 'unread')).status).toBe('running');
  });

  it('the service goes on, and ends cleanly when it is told to', async () => {
    leave(up);
    up.child.stderr?.destroy();
    up.child.kill('SIGTERM');
    expect((await up.ended).code).toBe(0);
    await expect(home.endpoint()).rejects.toThrow('There is no service');
  });
});
