import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Home } from './railyard';

let home: Home;
beforeAll(async () => {
  home = await Home.make({ TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL });
});
afterAll(() => home.remove());

describe('a run that is followed', () => {
  it('is followed on when the service was killed and comes back on another port', async () => {
    const template = join(home.root, 'gated.json');
    await writeFile(template, JSON.stringify(factory([scripted('a')], { human_gates: [gateAfter('a')] })));
    const first = await home.up();
    const { url } = await home.endpoint();
    const run = home.start(['run', template, '--id', 'followed', '--as', 'sam']);
    await run.untilOut('waits for');

    first.child.kill('SIGKILL');
    await first.ended;
    // Somebody else has the old port now, so the new one is another.
    const squatter = createServer((socket) => socket.destroy()).listen(
      Number(new URL(url).port),
      '127.0.0.1',
    );
    await once(squatter, 'listening');
    await run.untilOut('Waiting …');
    await home.up();
    expect((await home.endpoint()).url).not.toBe(url);
    expect((await home.run('approve', 'followed', 'a', '--as', 'ann')).code).toBe(0);
    const { code, out } = await run.ended;
    squatter.close();
    expect(out).toContain('It answers again.');
    expect(code).toBe(0);
  });
});
