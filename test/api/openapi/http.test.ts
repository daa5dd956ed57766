import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OPERATIONS } from '../../../api/openapi/operations';
import { inParallel } from '../../../api/in-parallel';
import { factory, gateAfter, scripted } from '../../yard/templates';
import { Caller } from '../caller';
import { faultsIn, operationOf } from './conforms';

let caller: Caller;
beforeAll(async () => {
  caller = await Caller.open();
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

const API = '/api/a360';

/** Make a call and hold the answer against the document. */
async function checked(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const { status, body: answer } = await caller.call(method, path, body, headers);
  expect(faultsIn(operationOf(method, `${API}${path}`), status, answer)).toEqual([]);
  return { status, body: answer };
}

describe('the document', () => {
  it('has every route of the service, and no other', () => {
    const documented = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const served = [...caller.server.routeNames]
      .filter((name) => !name.startsWith('HEAD '))
      .map((name) => name.replaceAll(/:(\w+)/g, '{$1}').replace('/*', '/{path}'));
    expect(documented.sort()).toEqual(served.sort());
  });

  it('is served with its page', async () => {
    const get = (path: string): Promise<Response> =>
      fetch(`${caller.root}${path}`, { headers: { authorization: `Bearer ${caller.yard.home.key}` } });
    expect(await (await get('/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
    const page = await get('/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('what the service answers', () => {
  const template = factory([scripted('a'), scripted('b', { needs: ['a'] })], {
    human_gates: [gateAfter('a')],
  });

  it('is what the document says, from the start of a run to its end', async () => {
    const started = await checked(
      'POST',
      '/factory-run',
      { template, started_by: 'sam' },
      { 'idempotency-key': 'd' },
    );
    const { run_id: run } = started.body as { run_id: string };
    await checked('POST', '/factory-run', { template, started_by: 'sam' }, { 'idempotency-key': 'd' });
    await caller.yard.untilBlock(run, 'a', 'waiting');
    const path = `/factory-run/${run}`;
    for (const one of [
      path,
      '/factory-run',
      '/gate',
      `${path}/gate/a`,
      `${path}/gate/b`,
      '/factory-run/none',
    ]) {
      await checked('GET', one);
    }
    await checked('POST', `${path}/pause`, {});
    await checked('POST', `${path}/resume`, {});
    await checked('POST', `${path}/block/a/retry`, {});
    await checked('POST', `${path}/block/a/trigger`, {});
    await checked('POST', `${path}/event`, { name: 'nothing' });
    const ann = { approver: 'ann', role: 'editor' };
    await checked('POST', `${path}/gate/a/approve`, { ...ann, role: 'nobody' });
    await checked('POST', `${path}/gate/a/reject`, { ...ann, feedback: 'Again.' });
    await caller.yard.until(run, ({ gates }) =>
      gates.some(({ attempt, outcome }) => attempt === 2 && !outcome),
    );
    await checked('GET', '/gate?role=editor');
    await checked('POST', `${path}/gate/a/approve`, ann);
    await caller.yard.untilStatus(run, 'completed');
    for (const one of [path, `${path}/gate/a`, '/factory-run?status=completed']) await checked('GET', one);
    await checked('POST', `${path}/cancel`, {});
    await checked('POST', `${path}/gate/a/approve`, ann);
  });

  it('is what the document says about templates', async () => {
    const { status, body } = await checked('GET', '/template');
    expect(status).toBe(200);
    const { templates } = body as { templates: { name: string }[] };
    expect(templates.map(({ name }) => name)).toEqual(['clone-factory', 'walking']);
    const walking = (await checked('GET', '/template/walking')).body;
    expect((await checked('GET', '/template/walking/graph')).body).toMatchObject({ format: 'mermaid' });
    expect((await checked('POST', '/template/validate', { template: walking })).status).toBe(200);
    const drawn = await checked('POST', '/template/graph', { template: walking, format: 'dot' });
    expect(drawn.body).toMatchObject({ format: 'dot', text: expect.stringContaining('digraph') });
    expect((await checked('POST', '/template/validate', { template: {} })).status).toBe(422);
    expect((await checked('GET', '/template/nothing')).status).toBe(404);
    expect((await checked('GET', '/template/..%2fpackage')).status).toBe(404);
  });
});

describe('what is no JSON', () => {
  it('is refused as the document says, also where no body is asked for', async () => {
    for (const { method, path } of OPERATIONS.filter((one) => one.method !== 'get')) {
      // Webhooks take any text, and MCP has answers of its own.
      if (path.includes('/webhook/') || !path.startsWith(API)) continue;
      const filled = path.replace(API, '').replaceAll(/\{\w+\}/g, 'none');
      const { status } = await checked(method.toUpperCase(), filled, 'x', { 'content-type': 'text/csv' });
      expect([path, status]).toEqual([path, 415]);
    }
  });
});

const key = fc.constantFrom(
  'template',
  'parameters',
  'run_id',
  'approver',
  'role',
  'notes',
  'by',
  'name',
  'payload',
);
const malformed: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify(value).slice(0, -1)),
  fc.dictionary(key, fc.jsonValue()).map((value) => JSON.stringify(value)),
  fc
    .dictionary(key, fc.constantFrom('', 'x', '\ud800', '../..', 1e308, -0, null, [], {}))
    .map((value) => JSON.stringify(value)),
  fc.nat(2_000).map((depth) => `${'{"template":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.constantFrom(
    '{"__proto__":{}}',
    '{"constructor":{"prototype":{}}}',
    '[]',
    'null',
    '""',
    '0',
    '{"by":1e999}',
  ),
);

describe('ten thousand malformed bodies', () => {
  it('get a 4xx with the envelope, each', async () => {
    const posts = OPERATIONS.filter(({ method }) => method === 'post');
    const bodies = fc.sample(malformed, 10_000);
    const wrong: string[] = [];
    await inParallel([...bodies.entries()], 16, async ([index, body]) => {
      const operation = posts[index % posts.length];
      if (!operation) return;
      const path = operation.path.replace(API, '').replace('{run}', 'none').replace('{block}', 'a');
      const { status, body: answer } = await caller.call('POST', path, body);
      const faults = faultsIn(operation, status, answer);
      if (status < 400 || status >= 500 || faults.length > 0)
        wrong.push(`${path} ${body} ${status} ${faults.join()}`);
    });
    expect(wrong).toEqual([]);
    // Ten thousand calls on a machine that is busy otherwise.
  }, 600_000);
});
