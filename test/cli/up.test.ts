import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunView } from '../../api/run-view';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Home, isAlive, until, WALKING } from './railyard';

let home: Home;
beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home.remove());

/** The pid of the dev server of a data directory. */
async function serverPid(): Promise<number> {
  const note = JSON.parse(await readFile(join(home.root, 'temporal.pid'), 'utf8')) as {
    server: { pid: number };
  };
  return note.server.pid;
}

const view = (run: string): Promise<RunView> => home.json<RunView>('status', run);
const untilBlock = (run: string, id: string, status: string): Promise<void> =>
  until(async () => (await view(run)).blocks.some((block) => block.id === id && block.status === status));

describe('railyard up', () => {
  it('prints the URL and the key, runs a factory for a person at the keyboard, and ends cleanly on Ctrl-C, even if it comes twice', async () => {
    const up = await home.up();
    const { url, key } = await home.endpoint();
    expect(up.out).toContain(url);
    expect(up.out).toContain(key);

    const run = home.start(['run', WALKING, '-p', 'topic=railways', '--id', 'first', '--as', 'sam']);
    await run.untilOut('railyard approve first page --role editor');
    expect((await home.run('approve', 'first', 'page', '--as', 'ann')).out).toContain('approved');
    const { code, out } = await run.ended;
    expect(code).toBe(0);
    expect(out).toContain('finish: 1/2 done');
    expect(out).toContain('finish: 2/2 done');
    expect(out).toContain('3 blocks done, 3 artifacts in');

    const server = await serverPid();
    up.child.kill('SIGINT');
    up.child.kill('SIGINT');
    expect((await up.ended).code).toBe(0);
    expect(isAlive(server)).toBe(false);
    expect((await home.run('status')).code).toBe(5);
  });

  it('goes on with a run after kill -9 in the middle of a skill; the dev server did not outlive it', async () => {
    const template = join(home.root, 'slow.json');
    const go = join(home.root, 'go');
    const blocks = [scripted('slow', { script: [{ until: go }] }), scripted('next', { needs: ['slow'] })];
    await writeFile(template, JSON.stringify(factory(blocks, { human_gates: [gateAfter('next')] })));

    const first = await home.up();
    await home.run('run', template, '--id', 'killed', '--detach', '--as', 'sam');
    await untilBlock('killed', 'slow', 'running');
    const skill = await skillPid('killed', 'slow');
    const server = await serverPid();
    first.child.kill('SIGKILL');
    await first.ended;
    await until(() => !isAlive(server));
    expect(isAlive(skill)).toBe(true);

    await home.up();
    await until(() => !isAlive(skill));
    await writeFile(go, '');
    await untilBlock('killed', 'next', 'waiting');
    await home.run('approve', 'killed', 'next', '--as', 'ann');
    await until(async () => (await view('killed')).status === 'completed');
    const slow = (await view('killed')).blocks[0];
    expect(slow).toMatchObject({ attempt: 1, attempts: 0 });
  });

  it('brings a dev server that was killed back, and loses nothing', async () => {
    const template = join(home.root, 'slow2.json');
    const go = join(home.root, 'go2');
    await writeFile(
      template,
      JSON.stringify(factory([scripted('a', { script: [{ until: go }] }), scripted('b', { needs: ['a'] })])),
    );
    await home.run('run', template, '--id', 'server-killed', '--detach');
    await untilBlock('server-killed', 'a', 'running');
    const server = await serverPid();
    process.kill(server, 'SIGKILL');
    await until(async () => (await serverPid().catch(() => server)) !== server);
    await writeFile(go, '');
    await until(async () =>
      (await home.run('status', 'server-killed', '--json')).out.includes('"status": "completed"'),
    );
    expect((await view('server-killed')).blocks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('refuses a second one on the same data directory', async () => {
    const { code, err } = await home.run('up', '--port', '0');
    expect(code).toBe(5);
    expect(err).toContain('HOME_IN_USE');
  });
});

describe('what goes wrong at the start is one clear screen', () => {
  const clear = (text: string): void => {
    expect(text).toContain('what to do:');
    expect(text).not.toMatch(/^\s+at /m);
    expect(text.split('\n').length).toBeLessThan(24);
  };

  it('a busy port', async () => {
    const other = await Home.make();
    const busy = createServer().listen(0, '127.0.0.1');
    await until(() => busy.listening);
    const address = busy.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const { code, err } = await other.run('up', '--port', String(port));
    busy.close();
    await other.remove();
    expect(code).toBe(5);
    expect(err).toContain('PORT_BUSY');
    clear(err);
  });

  it('a data directory that cannot be used', async () => {
    const file = join(home.root, 'a-file');
    await writeFile(file, '');
    const other = await Home.make({ RAILYARD_HOME: join(file, 'below') });
    const { code, err } = await other.run('up');
    await other.remove();
    expect(code).toBe(5);
    expect(err).toContain('HOME_UNUSABLE');
    clear(err);
  });

  it('a data directory without write permission', async () => {
    const folder = join(home.root, 'sealed');
    await mkdir(folder);
    await chmod(home.root, 0o755);
    await chmod(folder, 0o555);
    const other = await Home.make({ RAILYARD_HOME: folder });
    // Root may write anywhere, so then somebody else has to try.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const { code, err } = await other.start(['up'], nobody).ended;
    await other.remove();
    expect([code, err]).toEqual([5, expect.stringContaining('may not be written to')]);
    clear(err);
  });

  it('a part that fails after the others were started; nothing of them is left', async () => {
    const other = await Home.make();
    await mkdir(join(other.root, 'endpoint.json', 'in the way'), { recursive: true });
    const { code, err } = await other.run('up', '--port', '0');
    expect([code, err]).toEqual([5, expect.stringContaining('HOME_UNUSABLE')]);
    expect(err).toContain('endpoint.json');
    clear(err);
    // The note goes with the server.
    await expect(readFile(join(other.root, 'temporal.pid'))).rejects.toThrow('ENOENT');
    await other.remove();
  });

  it('a wrong TEMPORAL_ADDRESS', async () => {
    const other = await Home.make({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const { code, err } = await other.run('up', '--port', '0');
    await other.remove();
    expect(code).toBe(5);
    expect(err).toContain('TEMPORAL_AWAY');
    expect(err).toContain('127.0.0.1:1');
    clear(err);
  });

  it('a template that is not JSON, is not there, or has problems', async () => {
    const file = join(home.root, 'broken.json');
    await writeFile(file, '{"factory": {,}}');
    const broken = await home.run('run', file);
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('line 1, column 14')]);
    clear(broken.err);
    expect((await home.run('run', `${file}.gone`)).code).toBe(4);
    await writeFile(file, JSON.stringify(factory([{ ...scripted('a'), skil: 'x' } as never])));
    const wrong = await home.run('run', file);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('/blocks/0/skil');
    clear(wrong.err);
  });
});

async function skillPid(run: string, block: string): Promise<number> {
  const path = join(home.root, 'runs', run, 'attempts', `${block}.1`, 'process.json');
  return (JSON.parse(await readFile(path, 'utf8')) as { pid: number }).pid;
}
