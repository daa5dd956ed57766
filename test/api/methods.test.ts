import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApi } from '../../api/openapi';
import { buildServer } from '../../api/server';
import { type FastifyInstance } from 'fastify';
import { codeOf, Scene, type Answer } from './auth-scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

const PATHS = Object.entries(openApi().paths).map(([path, methods]) => {
  const filled = path.replaceAll(/\{\w+\}/g, 'x');
  const own = Object.keys(methods).map((method) => method.toUpperCase());
  return { path: filled, allowed: [...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort() };
});
// Some paths are also read as others: `/template/validate` as a template of that name, which there is not.
const alsoFits = (path: string): string[] =>
  path.endsWith('/template/validate') || path.endsWith('/template/graph') ? ['GET', 'HEAD'] : [];

describe.each(PATHS)('$path', ({ path, allowed }) => {
  const taken = [...allowed, ...alsoFits(path)];
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => !taken.includes(one));

  it.each(others)('is not for %s, and says for what it is, whatever the body', async (method) => {
    for (const body of method === 'GET' ? [undefined] : [undefined, { by: 1 }]) {
      const answer = await scene.call(method, path, scene.home.key, body);
      expect([answer.status, codeOf(answer)]).toEqual([405, 'METHOD_NOT_ALLOWED']);
      expect(answer.headers.get('allow')).toBe(allowed.join(', '));
    }
  });
});

describe('HEAD', () => {
  // Temporal is away here, so a stream of all runs, which is not asked by HEAD, would not begin.
  const readable = PATHS.filter(
    ({ path, allowed }) => allowed.includes('GET') && path !== '/api/a360/events',
  );
  it.each(readable)('of $path is answered as GET is', async ({ path }) => {
    const head = await scene.call('HEAD', path, scene.home.key);
    const full = await scene.call('GET', path, scene.home.key);
    const of = ({ status, headers }: Answer): unknown[] => [status, headers.get('content-type')];
    expect(of(head)).toEqual(of(full));
  });
});

describe('pages of other origins', () => {
  let server: FastifyInstance;
  const origin = 'https://app.example.org';
  beforeAll(() => {
    const { home } = scene;
    server = buildServer({ key: home.key, runs: scene.runs, log: () => undefined, corsOrigins: [origin] });
  });
  afterAll(() => server.close());

  const preflight = { 'access-control-request-method': 'POST', origin };

  it('are not let in unless they are named', async () => {
    const stranger = { ...preflight, origin: 'https://evil.example.org' };
    const answer = await server.inject({
      method: 'OPTIONS',
      url: '/api/a360/factory-run',
      headers: stranger,
    });
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([401, undefined]);
    expect(answer.headers.vary).toBe('Origin');
    const off = await scene.call('GET', '/healthz', null);
    expect([off.headers.get('vary'), off.headers.get('access-control-allow-origin')]).toEqual([null, null]);
  });

  it('that are named may ask without a key whether they may ask, and then come with one', async () => {
    const url = '/api/a360/factory-run';
    const asked = await server.inject({ method: 'OPTIONS', url, headers: preflight });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers['access-control-allow-headers']).toContain('Authorization');
    const refused = await server.inject({ url, headers: { origin } });
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([401, origin]);
    const key = `Bearer ${scene.home.key}`;
    const answer = await server.inject({ url, headers: { origin, authorization: key } });
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

describe('a request', () => {
  it('has an id: its own where it is a plain word, else one of ours', async () => {
    const id = async (given: string): Promise<string | null> => {
      const headers = { 'x-request-id': given };
      return (await fetch(`${scene.url}/healthz`, { headers })).headers.get('x-request-id');
    };
    expect(await id('abc-1')).toBe('abc-1');
    expect(await id('a b')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
