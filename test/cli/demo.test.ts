import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEndpoint } from '../../src/home';
import { Running } from './railyard';

const DEMO = join(__dirname, '..', '..', 'dist', 'scripts', 'demo.js');

describe('the demo', () => {
  it('ends everything it started on Ctrl-C', async () => {
    const env = { ...process.env, TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL, NO_COLOR: '1' };
    const demo = new Running(spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    await demo.untilOut('Ctrl-C stops watching');
    demo.child.kill('SIGINT');
    // Its children print where it prints; this ends when the last of them has.
    const { code, out } = await demo.ended;
    const home = /data directory: (.+)/.exec(out)?.[1] ?? '';
    expect(out).toContain('stopped watching');
    expect(out).toContain('everything is stopped');
    expect(await readEndpoint(home)).toBeNull();
    await rm(home, { recursive: true, force: true });
    expect(code).toBe(130);
  });
});
