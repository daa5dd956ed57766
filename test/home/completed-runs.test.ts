import { readdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonObject } from '../../src/canonical';
import { type ArtifactRef } from '../../src/factory/run-state';
import { openHome, previousArtifacts, saveCompletion, type Home, type RunRecord } from '../../src/home';
import { temporary } from '../sandbox/places';

let home: Home;
beforeEach(async () => {
  home = (await openHome(temporary()))._unsafeUnwrap();
});

const run = (name: string, createdAt: number, parameters: JsonObject = { a: 1, b: [2] }): RunRecord => ({
  ...{ version: 1, run: name, sessionId: name, factory: 'f', factoryHash: 'sha256:0', parameters },
  ...{ workspacePath: '/w', workspace: '/w', startedBy: 'sam', createdAt: new Date(createdAt).toISOString() },
});

const artifact = (digest: string): ArtifactRef => ({
  ...{ key: 'out', path: '/w/out', format: 'text', digest, bytes: 1 },
});

const digestFor = async (record: RunRecord, block = 'x'): Promise<string | undefined> =>
  (await previousArtifacts(home, record, block))[0]?.digest;

describe('what a run is handed from the one before', () => {
  beforeEach(async () => {
    await saveCompletion(home, run('one', 0), { x: [artifact('1')] }, 100);
    await saveCompletion(home, run('two', 0), { x: [artifact('2')] }, 200);
  });

  it('is of the last one that was completed when it began', async () => {
    const times = [99, 100, 199, 200, 10 ** 13];
    const digests = await Promise.all(times.map((at) => digestFor(run('now', at))));
    expect(digests).toEqual([undefined, '1', '1', '2', '2']);
  });

  it('is of its own kind: the same factory and the same parameters, in whatever order', async () => {
    expect(await digestFor(run('now', 300, { b: [2], a: 1 }))).toBe('2');
    expect(await digestFor(run('now', 300, { a: 1 }))).toBeUndefined();
    expect(await digestFor({ ...run('now', 300), factory: 'g' })).toBeUndefined();
  });

  it('is nothing for a block that left nothing, whatever it is called', async () => {
    expect(await digestFor(run('now', 300), 'y')).toBeUndefined();
    expect(await digestFor(run('now', 300), 'constructor')).toBeUndefined();
  });

  it('is not of a file that somebody has damaged', async () => {
    const [kind = ''] = readdirSync(home.path('completed'));
    writeFileSync(home.path('completed', kind, '000000000000200-two.json'), '{"version":1');
    expect(await digestFor(run('now', 300))).toBe('1');
  });
});
