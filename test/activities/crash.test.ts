import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporary } from '../sandbox/places';
import { endAfterwards, isAlive, pidIn, scene } from './scene';

/** Lets plain Node read our sources: a worker of its own, outside of Jest. */
const READ_TYPESCRIPT = `
  const { readFileSync } = require('node:fs');
  const { transformSync } = require('@swc/core');
  require.extensions['.ts'] = (module, filename) => {
    const jsc = { target: 'es2022', parser: { syntax: 'typescript' } };
    const options = { filename, jsc, module: { type: 'commonjs' }, swcrc: false };
    module._compile(transformSync(readFileSync(filename, 'utf8'), options).code, filename);
  };
  require(process.argv[1]);
`;

describe('a worker that is killed in the middle of an attempt', () => {
  it('leaves a process, which the next execution ends before it succeeds', async () => {
    const root = temporary();
    const worker = spawn(
      process.execPath,
      ['-e', READ_TYPESCRIPT, join(__dirname, 'crash-worker.ts'), root],
      {
        cwd: join(__dirname, '../..'),
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const orphan = endAfterwards(await pidIn(join(root, 'workspace/hanging')));
    const grandchild = endAfterwards(await pidIn(join(root, 'workspace/grandchild')));
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect([orphan, grandchild].map(isAlive)).toEqual([true, true]);

    const next = scene('writes-file', {}, { root });
    expect(existsSync(join(next.dir(), 'process.json'))).toBe(true);
    expect(await next.run()).toMatchObject({ kind: 'succeeded', metrics: { score: 42 } });
    expect([orphan, grandchild].map(isAlive)).toEqual([false, false]);
    expect(existsSync(join(next.dir(), 'process.json'))).toBe(false);
  });
});
