import { createHash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compileTemporal, type Compiled } from './compiled';
import { bareEnv, fakePython, fakeTemporal, removeFolder, script, temporaryFolder } from './fake-programs';

let compiled: Compiled;
let folder: string;
let cacheDir: string;
let bin: string;
let said: string[];

beforeAll(async () => {
  compiled = await compileTemporal();
});
afterAll(() => compiled.remove());
beforeEach(() => {
  folder = temporaryFolder();
  cacheDir = join(folder, 'programs');
  bin = join(folder, 'bin');
  said = [];
});
afterEach(() => removeFolder(folder));

const find = (cli: string | null = null, env: Record<string, string> = {}) =>
  compiled.temporal.findTemporalProgram({
    cacheDir,
    env: { ...bareEnv(bin), ...env },
    cli,
    say: (line) => said.push(line),
  });

const cachedPath = (): string => join(cacheDir, `temporal-1.9.1-${process.platform}-${process.arch}`);

function putInCache(): void {
  fakeTemporal(cachedPath());
  const text = '#!/bin/sh\necho "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"\n';
  writeFileSync(`${cachedPath()}.sha256`, `${createHash('sha256').update(text).digest('hex')}\n`);
}

describe('finding the Temporal program', () => {
  it('takes TEMPORAL_CLI before everything else', async () => {
    fakeTemporal(join(bin, 'temporal'));
    putInCache();
    const path = fakeTemporal(join(folder, 'mine'), '1.8.0');
    const found = await find(path);
    expect(found._unsafeUnwrap()).toEqual({ path, from: 'TEMPORAL_CLI', version: '1.8.0' });
  });

  it('takes PATH before the cache', async () => {
    const path = fakeTemporal(join(bin, 'temporal'));
    putInCache();
    expect((await find())._unsafeUnwrap()).toEqual({ path, from: 'PATH', version: '1.9.1' });
  });

  it('takes the first program on PATH that works', async () => {
    script(join(folder, 'broken', 'temporal'), 'exit 1');
    const path = fakeTemporal(join(bin, 'temporal'));
    const found = await find(null, { PATH: `${join(folder, 'broken')}:${bin}` });
    expect(found._unsafeUnwrap().path).toBe(path);
  });

  it('takes the cache before it fetches anything', async () => {
    putInCache();
    fakePython(bin, ['never asked']);
    expect((await find())._unsafeUnwrap()).toEqual({ path: cachedPath(), from: 'cache', version: '1.9.1' });
    expect(said).toEqual([]);
  });

  it('lists every way with its reason, and what to do, when none leads to a program', async () => {
    script(join(bin, 'temporal'), 'echo "temporal version 0.9.0"');
    const error = (await find())._unsafeUnwrapErr();
    expect(error.code).toBe('TEMPORAL_PROGRAM_MISSING');
    const [, ...lines] = error.message.split('\n');
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual([
      'TEMPORAL_CLI',
      'PATH',
      'cache',
      'sdk',
      'pypi',
    ]);
    expect(lines[0]).toBe('  TEMPORAL_CLI: not set');
    expect(lines[1]).toContain('its version 0.9.0 is older than 1.5.1');
    expect(lines[2]).toContain(`nothing at ${cachedPath()} yet`);
    expect(lines[3]).toMatch(/temporal\.download: .*[Cc]onnect/);
    expect(lines[4]).toContain('no pip (python3 -m pip: not found');
    expect(error.suggestion).toContain('set TEMPORAL_CLI');
    expect(error.suggestion).toContain('set TEMPORAL_ADDRESS');
    expect(error.details).toMatchObject({
      ways: [{ way: 'TEMPORAL_CLI', reason: 'not set' }, {}, {}, {}, {}],
    });
    expect(readdirSync(cacheDir)).toEqual([]);
  });
});

describe('a TEMPORAL_CLI that cannot be used', () => {
  it.each([
    ['is missing', () => join(folder, 'nowhere'), 'ENOENT'],
    ['cannot be run', () => folder, 'EACCES'],
    [
      'fails',
      () => script(join(folder, 'x'), 'echo "no such luck" >&2; exit 7'),
      'ended with 7: no such luck',
    ],
    ['is another program', () => script(join(folder, 'x'), 'echo "git 2"'), 'not the Temporal CLI'],
    ['is too old', () => fakeTemporal(join(folder, 'x'), '1.4.9'), 'its version 1.4.9 is older than 1.5.1'],
  ])('is an error at once when it %s', async (_what, make, reason) => {
    fakeTemporal(join(bin, 'temporal'));
    const path = make();
    const error = (await find(path))._unsafeUnwrapErr();
    expect(error.code).toBe('TEMPORAL_PROGRAM_MISSING');
    expect(error.message).toContain(`TEMPORAL_CLI is ${path}`);
    expect(error.message).toContain(reason);
    expect(error.suggestion).toContain('TEMPORAL_CLI');
  });
});

describe('the cache of programs', () => {
  it.each([
    ['was changed', () => writeFileSync(cachedPath(), '#!/bin/sh\necho "temporal version 1.9.1"; evil\n')],
    ['has no recorded digest', () => writeFileSync(`${cachedPath()}.sha256`, '')],
  ])('removes a program that %s, and says so', async (_what, tamper) => {
    putInCache();
    tamper();
    const error = (await find())._unsafeUnwrapErr();
    expect(error.message).toContain(`cache: removed ${cachedPath()}`);
    expect(said.join('\n')).toContain(`Removed ${cachedPath()}`);
    expect(existsSync(cachedPath())).toBe(false);
  });
});
