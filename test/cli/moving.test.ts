import { readFile, rm, writeFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunAudit } from '../../src/ledger';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Home, until, type Running } from './railyard';

let [home, there]: Home[] = [];
let [template, bundle] = ['', ''];
beforeAll(async () => {
  [home, there] = [await Home.make(), await Home.make()];
  template = join(home.root, 'gated.json');
  bundle = join(home.root, 'one.bundle');
  const blocks = [scripted('a', { script: [{ text: 'one' }] }), scripted('b', { needs: ['a'] })];
  await writeFile(template, JSON.stringify(factory(blocks, { human_gates: [gateAfter('a')] })));
});
afterAll(async () => {
  await home?.remove();
  await there?.remove();
});

interface View {
  readonly status: string;
  readonly orphaned: boolean;
  readonly gates: readonly { readonly outcome: unknown }[];
}
const view = (at: Home, run: string) => at.json<View>('status', run);
const isWaiting = async (at: Home, run: string): Promise<boolean> => (await view(at, run)).gates.length === 1;
const stopped = async ({ child, ended }: Running): Promise<void> => {
  child.kill('SIGTERM');
  await ended;
};

describe('a run', () => {
  it('is revived by railyard resume when all that Temporal knew is gone', async () => {
    if (!home) throw new Error('no home');
    const at = home;
    const first = await at.up();
    await at.run('run', template, '--id', 'lost', '--as', 'sam', '--detach');
    await until(() => isWaiting(at, 'lost'));
    await stopped(first);
    for (const name of readdirSync(at.root)) {
      if (name.startsWith('temporal.db')) await rm(join(at.root, name));
    }

    // The audit needs nobody.
    const audit = await at.json<RunAudit>('audit', 'lost');
    expect(audit.attempts).toMatchObject([{ block: 'a', end: { result: 'await_approval' } }]);
    expect(audit.gates).toMatchObject([{ block: 'a', outcome: null }]);
    expect((await at.run('audit', 'lost')).out).toContain('gate after a, attempt 1 opens');

    await at.up();
    expect(await view(at, 'lost')).toMatchObject({ orphaned: true });
    expect((await at.run('approve', 'lost', 'a', '--as', 'ann')).err).toContain('railyard resume lost');
    expect((await at.run('resume', 'lost', '--as', 'olga')).out).toContain('the run is running');
    expect((await at.run('approve', 'lost', 'a', '--as', 'ann')).code).toBe(0);
    await until(async () => (await view(at, 'lost')).status === 'completed');
    const ended = await at.json<RunAudit>('audit', 'lost');
    expect(ended.drivers.map(({ by, epoch }) => [by, epoch])).toEqual([
      ['sam', 1],
      ['olga', 2],
    ]);
    expect(ended.attempts.map(({ block, attempt }) => [block, attempt])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('moves to another data directory, and goes on there and not here', async () => {
    if (!home || !there) throw new Error('no home');
    const [here, elsewhere] = [home, there];
    await here.run('run', template, '--id', 'mover', '--as', 'sam', '--detach');
    await until(() => isWaiting(here, 'mover'));
    expect((await here.run('export', 'mover', '--move')).code).toBe(2);
    expect(await here.json('export', 'mover', '--move', '-o', bundle)).toMatchObject({ moved: true });
    expect((await here.run('resume', 'mover')).err).toContain('RUN_MOVED');

    const workspace = join(elsewhere.root, 'place');
    const imported = await elsewhere.run('import', bundle, '--workspace', workspace);
    expect(imported.out).toContain('railyard resume mover');
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toContain('one');
    await elsewhere.up();
    expect((await elsewhere.run('resume', 'mover', '--as', 'olga')).code).toBe(0);
    expect((await elsewhere.run('approve', 'mover', 'a', '--as', 'ann')).code).toBe(0);
    await until(async () => (await view(elsewhere, 'mover')).status === 'completed');
    expect(await view(here, 'mover')).toMatchObject({ orphaned: true });
  });

  it('goes over HTTP as a stream: audit, export, import', async () => {
    if (!home || !there) throw new Error('no home');
    const [{ url, key }, target] = [await there.endpoint(), await home.endpoint()];
    const headers = { authorization: `Bearer ${key}` };
    const get = (path: string) => fetch(`${url}/api/a360/factory-run/mover/${path}`, { headers });
    expect(await (await get('audit')).json()).toMatchObject({ run: 'mover', status: 'completed' });
    const exported = await get('export');
    expect(exported.headers.get('content-disposition')).toContain('mover.bundle.json');
    const body = await exported.text();
    const post = (text: string, more = '') =>
      fetch(`${target.url}/api/a360/import${more}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
        body: text,
      });
    // It comes home, further on.
    const answer = await post(body);
    expect([answer.status, await answer.json()]).toEqual([
      201,
      expect.objectContaining({ fresh: true, run: expect.objectContaining({ run_id: 'mover' }) }),
    ]);
    expect((await post(body)).status).toBe(200);
    expect(await view(home, 'mover')).toMatchObject({ status: 'completed', orphaned: false });
    const cut = await post(body.slice(0, -500));
    expect([cut.status, await cut.json()]).toEqual([
      422,
      expect.objectContaining({ code: expect.stringMatching(/^BUNDLE_/) }),
    ]);
    expect(readdirSync(join(home.root, 'imports'))).toEqual([]);
  });
});
