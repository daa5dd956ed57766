import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SkillRequest } from '../../../activities';
import { type Webhook } from '../../../api/webhooks';
import { buildServer } from '../../../api/server';
import { attemptDir } from '../../../src/home';
import { type Template } from '../../../src/factory/schema';
import { factory, scripted } from '../../yard/templates';
import { blockOf } from '../../yard/yard';
import { Caller } from '../caller';
import { faultsIn, operationOf } from '../openapi/conforms';
import { hooked, post, refused, signed, type Call } from './caller';

let caller: Caller;
beforeAll(async () => {
  caller = await Caller.open({ updateTimeoutMs: 5_000 });
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

async function webhooksOf(run: string): Promise<readonly Webhook[]> {
  const path = `/factory-run/${run}/webhooks`;
  const { status, body } = await caller.call<{ webhooks: Webhook[] }>('GET', path);
  expect(faultsIn(operationOf('GET', `/api/a360${path}`), status, body)).toEqual([]);
  return body.webhooks;
}

/** Start a run whose first webhook is called by what comes back. */
async function start(
  template: Template,
): Promise<{ run: string; call: (body: string, by?: number) => Call }> {
  const run = await caller.yard.start(template);
  const [webhook] = await webhooksOf(run);
  if (!webhook) throw new Error('The run has no webhook');
  return { run, call: (body, by) => signed(caller.root, run, webhook, body, by) };
}

async function told(run: string, block: string, attempt = 1): Promise<SkillRequest> {
  const text = await readFile(`${attemptDir(caller.yard.home, run, block, attempt)}/request.json`, 'utf8');
  return JSON.parse(text) as SkillRequest;
}

describe('a signed call', () => {
  it('sets its block off and hands its body to the skill', async () => {
    const { run, call } = await start(factory([hooked('a', '/expert/updated')]));
    const sent = call('{"expert": "ada"}');
    const answer = await post(sent);
    expect(answer).toEqual([200, { kind: 'trigger', result: 'triggered', triggered: ['a'], kept: [] }]);
    expect(faultsIn(operationOf('POST', new URL(sent.url).pathname), ...answer)).toEqual([]);
    await caller.yard.untilStatus(run, 'completed');
    expect((await told(run, 'a')).trigger).toEqual({ type: 'webhook', payload: { expert: 'ada' } });
    expect(await refused(call('{"expert": "bob"}'))).toEqual([409, 'RUN_ENDED']);
  });

  it('that comes before its block can start is kept for it', async () => {
    const go = caller.yard.home.path('go-hook-early');
    const waits = hooked('a', '/x', { inputs: { depends: [{ block: 'up', key: 'out' }] } });
    const { run, call } = await start(factory([scripted('up', { script: [{ until: go }] }), waits]));
    expect(await post(call('1'))).toMatchObject([200, { result: 'kept', kept: ['a'] }]);
    await writeFile(go, '');
    await caller.yard.untilStatus(run, 'completed');
    expect((await told(run, 'a')).trigger?.payload).toBe(1);
  });

  it('runs a daemon each time', async () => {
    const go = caller.yard.home.path('go-hook-daemon');
    const { run, call } = await start(
      factory([
        hooked('d', '/d', { lifecycle: { mode: 'daemon' } }),
        scripted('main', { script: [{ until: go }] }),
      ]),
    );
    for (const body of ['"one"', '"two"', '"three"']) expect((await post(call(body)))[0]).toBe(200);
    await caller.yard.until(run, (view) => {
      const { status, attempt } = blockOf(view, 'd');
      return status === 'done' && attempt === 3;
    });
    await writeFile(go, '');
    await caller.yard.untilStatus(run, 'completed');
    const payloads = await Promise.all(
      [1, 2, 3].map(async (n) => (await told(run, 'd', n)).trigger?.payload),
    );
    expect(payloads).toEqual(['one', 'two', 'three']);
  });

  it('without a body is a trigger without a payload', async () => {
    const { run, call } = await start(factory([hooked('a', '/x')]));
    expect((await post(call('')))[0]).toBe(200);
    await caller.yard.untilStatus(run, 'completed');
    expect((await told(run, 'a')).trigger).toEqual({ type: 'webhook', payload: null });
  });

  it('whose body cannot be taken is refused and may be mended', async () => {
    const { call } = await start(factory([hooked('a', '/x')]));
    for (const body of ['{', '"\\ud800"', `${'['.repeat(5_000)}${']'.repeat(5_000)}`]) {
      expect(await refused(call(body))).toEqual([400, 'INPUT_INVALID']);
    }
    expect(await refused(call(`"${'x'.repeat(70_000)}"`))).toEqual([413, 'BODY_TOO_LARGE']);
    expect(await refused(call(`"${'x'.repeat(200_000)}"`))).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await post(call('{}')))[0]).toBe(200);
  });
});

describe('a call that is sent again', () => {
  it('is refused as taken, and its block has run once', async () => {
    const go = caller.yard.home.path('go-hook-again');
    const { run, call } = await start(
      factory([
        hooked('d', '/d', { lifecycle: { mode: 'daemon' } }),
        scripted('main', { script: [{ until: go }] }),
      ]),
    );
    const once = call('{}');
    const both = (await Promise.all([post(once), post(once)])).sort(([a], [b]) => a - b);
    expect(both.map(([status]) => status)).toEqual([200, 409]);
    expect(both[1]).toMatchObject([409, { code: 'WEBHOOK_REPLAYED' }]);
    expect(await refused(once)).toEqual([409, 'WEBHOOK_REPLAYED']);
    await writeFile(go, '');
    const done = await caller.yard.untilStatus(run, 'completed');
    expect(blockOf(done, 'd').attempt).toBe(1);
  });

  it('is refused also by a service that was started anew', async () => {
    const { run, call } = await start(factory([hooked('a', '/x'), hooked('b', '/y')]));
    const once = call('{}');
    expect((await post(once))[0]).toBe(200);
    const { yard } = caller;
    const another = buildServer({ key: yard.home.key, runs: yard.runs, log: () => undefined });
    const root = await another.listen({ host: '127.0.0.1', port: 0 });
    const moved = { ...once, url: new URL(new URL(once.url).pathname, root).href };
    expect(await refused(moved)).toEqual([409, 'WEBHOOK_REPLAYED']);
    await another.close();
    await yard.control(run, { type: 'cancel', by: 'carl' });
  });
});

describe('a call while no worker is there', () => {
  it('is kept with 202, once, and taken up by the next worker', async () => {
    const { yard } = caller;
    const { run, call } = await start(factory([hooked('a', '/x')]));
    await yard.stopWorker();
    const once = call('{"kept": true}');
    expect(await post(once)).toEqual([202, { kind: 'stored', block: 'a' }]);
    expect(await refused(once)).toEqual([409, 'WEBHOOK_REPLAYED']);
    await yard.startWorker();
    await yard.untilStatus(run, 'completed');
    expect((await told(run, 'a')).trigger?.payload).toEqual({ kept: true });
  });
});

describe('a call that proves nothing', () => {
  it('is refused in the same words, whatever is wrong with it and whether the webhook exists', async () => {
    const { run, call } = await start(factory([hooked('a', '/x')]));
    const good = call('{}');
    const { url, headers } = good;
    const to = (path: string): string => new URL(path, caller.root).href;
    const calls: Call[] = [
      { ...good, body: '{ }' },
      { ...good, headers: { ...headers, 'railyard-signature': `v1=${'0'.repeat(64)}` } },
      { ...good, url: url.replace(/x$/, 'y') },
      { ...good, url: `${url}/` },
      { ...good, url: to(`/api/a360/factory-run/nobody/webhook/x`) },
      { ...good, url: to(`/api/a360/factory-run/${run}/webhook/`) },
    ];
    const answers = await Promise.all(calls.map(post));
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
    expect((await caller.yard.block(run, 'a')).status).toBe('pending');
    expect((await post(good))[0]).toBe(200);
  });

  it('is one without a signature, even with the local key', async () => {
    const { call } = await start(factory([hooked('a', '/x')]));
    const { url } = call('{}');
    const headers = { authorization: `Bearer ${caller.yard.home.key}` };
    expect(await refused({ url, headers, body: '{}' })).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('is one that was signed more than five minutes ago, or for a time to come', async () => {
    const { call } = await start(factory([hooked('a', '/x')]));
    expect(await refused(call('{}', -310))).toEqual([401, 'UNAUTHENTICATED']);
    expect(await refused(call('{}', 310))).toEqual([401, 'UNAUTHENTICATED']);
    expect((await post(call('{}', -240)))[0]).toBe(200);
  });
});

describe('the secrets', () => {
  it('are one for each webhook of each run, and what they are made from is for the owner alone', async () => {
    const template = factory([hooked('a', '/x'), hooked('b', '/y'), scripted('c')]);
    const runs = [await caller.yard.start(template), await caller.yard.start(template)];
    const all = (await Promise.all(runs.map(webhooksOf))).flat();
    expect(all.map(({ path }) => path)).toEqual(['/x', '/y', '/x', '/y']);
    expect(new Set(all.map(({ secret }) => secret)).size).toBe(4);
    expect((await stat(caller.yard.home.path('webhook-secret'))).mode & 0o777).toBe(0o600);
  });

  it('are nowhere in what is remembered of calls', async () => {
    const names = await readdir(caller.yard.home.path('webhooks'));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !/^\d{13}-webhook-[0-9a-f]{40}$/.test(name))).toEqual([]);
  });
});
