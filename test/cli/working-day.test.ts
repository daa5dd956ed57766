import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { PACKAGE_ROOT } from '../../src/home';

it('a working day goes through over HTTP alone', async () => {
  const env = { ...process.env, TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL };
  const script = join(PACKAGE_ROOT, 'dist', 'scripts', 'working-day.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
  expect(stdout).toContain('everything was as it should be');
});
