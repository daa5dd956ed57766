import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type SkillRequest } from '../../activities';
import { type ArtifactRef } from '../../src/factory/run-state';
import { temporary } from '../sandbox/places';
import { outputs, scene, type Scene } from './scene';

const requestOf = (here: Scene): SkillRequest =>
  JSON.parse(readFileSync(join(here.dir(), 'request.json'), 'utf8')) as SkillRequest;

/** What the block left in a run before this one, in another workspace and the same store. */
async function earlierRun(root: string): Promise<readonly ArtifactRef[]> {
  const outcome = await scene('writes-file', {}, { root: join(root, 'earlier') }).run();
  if (outcome.kind === 'failed') throw new Error(outcome.error);
  return outcome.artifacts;
}

describe('a block with a feedback loop', () => {
  const root = temporary();
  const loop = { lens: { feedback_loop: true } };

  it('is handed its own artifacts of the previous run, as files of its attempt', async () => {
    const before = await earlierRun(root);
    const { store } = scene('writes-file', {}, { root: join(root, 'earlier') }).host;
    const asked: string[] = [];
    const previousArtifacts = (run: string, block: string) => {
      asked.push(`${run} ${block}`);
      return Promise.resolve(before);
    };
    const here = scene('writes-file', loop, { root: join(root, 'now'), host: { store, previousArtifacts } });
    expect(await here.run()).toMatchObject({ kind: 'succeeded' });
    expect(asked).toEqual(['r b']);
    const [artifact] = requestOf(here).previous_run?.artifacts ?? [];
    expect(artifact).toMatchObject({ key: 'out', digest: before[0]?.digest });
    expect(artifact?.path).toBe(join(here.dir(), 'previous-run', '1', 'b.json'));
    expect(readFileSync(artifact?.path ?? '', 'utf8')).toBe(readFileSync(before[0]?.path ?? '', 'utf8'));
  });

  it('is told of none where there is no such run, or the host knows of none', async () => {
    const none = scene('writes-file', loop, { host: { previousArtifacts: () => Promise.resolve([]) } });
    const bare = scene('writes-file', loop);
    for (const here of [none, bare]) {
      await here.run();
      expect(requestOf(here).previous_run).toBeNull();
    }
  });

  it('is the only kind that asks', async () => {
    const previousArtifacts = () => Promise.reject(new Error('nobody asked for this'));
    const here = scene('writes-file', outputs({ key: 'out', path: 'b.json', format: 'json' }), {
      host: { previousArtifacts },
    });
    expect(await here.run()).toMatchObject({ kind: 'succeeded' });
  });
});
