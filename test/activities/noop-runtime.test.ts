import { describe, expect, it } from '@jest/globals';
import { createNoopRuntime } from '../../activities';
import { environment, outputs, scene } from './scene';

describe('the no-op runtime', () => {
  const change = outputs(
    { key: 'json', path: 'a/b.json', format: 'json' },
    { key: 'dir', path: 'c/', format: 'directory' },
  );
  const host = { runtime: createNoopRuntime(), skillDirs: [] };

  it('writes each declared artifact and reports each declared metric, without a skill or a process', async () => {
    const env = environment();
    const beats: unknown[] = [];
    env.on('heartbeat', (details: unknown) => beats.push(details));
    const here = scene('no-such-skill', change, { host });
    expect(await here.run({}, env)).toMatchObject({
      kind: 'succeeded',
      artifacts: [{ key: 'json' }, { key: 'dir' }],
      metrics: { score: 100 },
    });
    expect(JSON.parse(here.read('a/b.json'))).toEqual({ noop: true });
    expect(beats).not.toContainEqual({ pid: expect.any(Number) });
  });

  it('does nothing once it is cancelled', async () => {
    const env = environment();
    env.cancel();
    expect(await scene('no-such-skill', change, { host }).run({}, env)).toMatchObject({
      failure: 'cancelled',
    });
  });
});
