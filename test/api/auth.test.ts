import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { ACCESS, guard, storedKeys } from '../../api/auth';
import { createKey, revokeKey } from '../../src/home';
import { codeOf, Scene } from './auth-scene';

let scene: Scene;
/** A credential for each kind of caller. */
const callers: Record<string, string | null> = { nobody: null, 'a wrong key': 'wrong' };

beforeAll(async () => {
  scene = await Scene.open();
  callers.local = scene.home.key;
  callers.viewer = await scene.key('vera', 'viewer');
  callers.operator = await scene.key('oscar', 'operator');
  callers.agent = await scene.key('agnes', 'agent');
  callers.expert = await scene.key('ann', 'expert');
  callers['nobody in particular'] = await scene.key('nils');
});
afterAll(async () => {
  await scene.close();
  expect(scene.faults).toEqual([]);
});

const STRANGERS = ['nobody', 'a wrong key'];

/** Who gets in where; everybody else who is known is refused. */
const ADMITTED: Readonly<Record<string, readonly string[]>> = {
  anyone: [...STRANGERS, 'local', 'viewer', 'operator', 'agent', 'expert', 'nobody in particular'],
  viewer: ['local', 'viewer', 'operator', 'agent', 'expert'],
  operator: ['local', 'operator'],
  agent: ['local', 'agent'],
  approver: ['local', 'expert'],
  local: ['local'],
  // No key is a signature.
  signed: [],
};

const CALLERS = [...STRANGERS, ...['local', 'viewer', 'operator', 'agent', 'expert', 'nobody in particular']];

describe('the table of routes', () => {
  it('has every route, and no other', () => {
    const served = [...scene.server.routeNames].filter((name) => !name.startsWith('HEAD '));
    expect(Object.keys(ACCESS).sort()).toEqual(served.sort());
  });

  it('lets a viewer call nothing but reads', () => {
    const open = Object.entries(ACCESS).filter(([, { need }]) => need === 'viewer' || need === 'anyone');
    const others = open.flatMap(([route]) => (route.startsWith('GET ') ? [] : [route]));
    // A POST because of its body; it changes nothing.
    expect(others).toEqual(['POST /api/a360/template/validate', 'POST /api/a360/template/graph']);
  });
});

describe.each(Object.entries(ACCESS))('%s', (route, { need }) => {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:\w+|\*/g, 'none');
  const body = method === 'POST' ? {} : undefined;

  it.each(CALLERS)(`(for ${need}) is answered as it should be to %s`, async (caller) => {
    const answer = await scene.call(method, path, callers[caller] ?? null, body);
    const unknown = need === 'signed' || STRANGERS.includes(caller);
    const expected = (ADMITTED[need] ?? []).includes(caller) ? 'in' : unknown ? 401 : 403;
    expect([401, 403].includes(answer.status) ? answer.status : 'in').toBe(expected);
    // Temporal is away here, and saying so is what that route is for.
    if (path !== '/readyz') expect(answer.status).toBeLessThan(500);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).not.toBeNull();
    if (expected === 401)
      expect(answer.headers.get('www-authenticate')).toBe(
        need === 'signed' ? 'Railyard-Signature' : 'Bearer',
      );
  });
});

describe('a route that somebody forgot to put into the table', () => {
  it('is for the local key only', async () => {
    const server = fastify();
    guard(server, { key: scene.home.key, callers: [storedKeys(scene.home)] });
    server.get('/forgotten', () => ({}));
    const status = async (key: string | null): Promise<number> => {
      const headers = key === null ? {} : { authorization: `Bearer ${key}` };
      return (await server.inject({ url: '/forgotten', headers })).statusCode;
    };
    expect(await status(callers.local ?? null)).toBe(200);
    expect(await status(callers.operator ?? null)).toBe(403);
    expect(await status(null)).toBe(401);
    await server.close();
  });
});

describe('a path that does not exist', () => {
  it.each(['/api/a360/nothing', '/nothing', '/api/a360/factory-run/x/y/z', '/'])(
    'is no secret to those who are known, and one to all others: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        expect((await scene.call(method, path, null)).status).toBe(401);
        expect(codeOf(await scene.call(method, path, callers.viewer ?? null))).toBe('ROUTE_NOT_FOUND');
      }
    },
  );
});

describe('a gate decision', () => {
  const decide = (key: string, body: unknown, what = 'approve') =>
    scene.call('POST', `/api/a360/factory-run/none/gate/a/${what}`, key, body);
  let [ann, both, local] = ['', '', ''];
  beforeAll(async () => {
    ann = callers.expert ?? '';
    local = callers.local ?? '';
    both = await scene.key('bo', 'expert', 'tech_lead', 'operator');
  });

  it.each(['approve', 'reject'])('is signed by the caller, who may say so or not: %s', async (what) => {
    const own = [{}, { approver: 'ann' }, { role: 'expert' }, { approver: ' ann ', role: 'expert' }];
    // The run does not exist: everything about the request itself was in order.
    for (const body of own) expect(codeOf(await decide(ann, body, what))).toBe('RUN_NOT_FOUND');
  });

  it.each(['approve', 'reject'])("is refused with another's name or role: %s", async (what) => {
    for (const body of [
      { approver: 'bo' },
      { approver: 'Ann' },
      { approver: 'local' },
      { approver: '' },
      { approver: null },
      { approver: ['ann'] },
      { role: 'tech_lead' },
      { role: 'operator' },
      { approver: 'ann', role: 'product_lead' },
    ]) {
      expect(codeOf(await decide(ann, body, what))).toBe('FORBIDDEN');
    }
  });

  it('needs the role said by whoever has several', async () => {
    expect(codeOf(await decide(both, {}))).toBe('INPUT_INVALID');
    expect(codeOf(await decide(both, { role: 'tech_lead' }))).toBe('RUN_NOT_FOUND');
    // To be an operator is no role in which one decides.
    expect(codeOf(await decide(both, { role: 'operator' }))).toBe('FORBIDDEN');
  });

  it("is anybody's with the local key", async () => {
    expect(codeOf(await decide(local, { approver: 'ann', role: 'expert' }))).toBe('RUN_NOT_FOUND');
    expect(codeOf(await decide(local, { approver: 'ann' }))).toBe('INPUT_INVALID');
  });

  it('that is no object is refused for that', async () => {
    for (const body of [[], 'x', 5]) expect(codeOf(await decide(ann, body))).toBe('INPUT_INVALID');
  });
});

describe('a start and a control', () => {
  it("are the caller's own", async () => {
    const oscar = callers.operator ?? null;
    const post = async (path: string, body: unknown): Promise<string | null> =>
      codeOf(await scene.call('POST', `/api/a360/factory-run${path}`, oscar, body));
    expect(await post('', { started_by: 'ann' })).toBe('FORBIDDEN');
    expect(await post('', { started_by: 'oscar', template: {} })).toBe('TEMPLATE_INVALID');
    expect(await post('', { template: {} })).toBe('TEMPLATE_INVALID');
    for (const path of ['/none/pause', '/none/resume', '/none/cancel', '/none/block/a/retry']) {
      expect(await post(path, { by: 'ann' })).toBe('FORBIDDEN');
      expect(await post(path, { by: 'oscar' })).toBe('RUN_NOT_FOUND');
      expect(await post(path, {})).toBe('RUN_NOT_FOUND');
      expect(await post(path, undefined)).toBe('RUN_NOT_FOUND');
    }
  });
});

describe('a key', () => {
  const read = (key: string) => scene.call('GET', '/api/a360/factory-run', key);

  it('stops at the moment it is revoked', async () => {
    const { key, record } = await createKey(scene.home, { name: 'rita', roles: ['viewer'], expires: null });
    expect((await read(key)).status).toBe(200);
    await revokeKey(scene.home, record.id);
    const answer = await read(key);
    expect(codeOf(answer)).toBe('UNAUTHENTICATED');
    expect(answer.body).toMatchObject({ message: 'The key was revoked.' });
  });

  it('stops when it expires', async () => {
    const expired = async (inMs: number): Promise<number> => {
      const expires = new Date(Date.now() + inMs);
      return (await read((await createKey(scene.home, { name: 'eve', roles: ['viewer'], expires })).key))
        .status;
    };
    expect(await expired(60_000)).toBe(200);
    expect(await expired(-1)).toBe(401);
  });

  it('of one does not open with the secret of another', async () => {
    const [a, b] = [await scene.key('a', 'viewer'), await scene.key('b', 'viewer')];
    expect((await read(`${a.slice(0, 17)}${b.slice(17)}`)).status).toBe(401);
    expect((await read(`${a}x`)).status).toBe(401);
    expect((await read(a.slice(0, -1))).status).toBe(401);
    expect((await read(a)).status).toBe(200);
  });
});

describe('the log', () => {
  it('has who was refused what, and no secret', async () => {
    const key = await scene.key('vic', 'viewer');
    const wrong = `${key.slice(0, -5)}wrong`;
    const before = scene.audited.length;
    await scene.call('GET', '/api/a360/factory-run?limit=1', null);
    await scene.call('GET', '/api/a360/factory-run?key=hidden', wrong);
    await scene.call('POST', '/api/a360/factory-run', key, {});
    const [path, address] = ['/api/a360/factory-run', '127.0.0.1'];
    const request: unknown = expect.any(String);
    const id = key.split('_')[1];
    expect(scene.audited.slice(before)).toEqual([
      {
        event: 'unauthenticated',
        why: 'This request carries no key.',
        method: 'GET',
        path,
        address,
        request,
        caller: null,
      },
      {
        event: 'unauthenticated',
        why: 'The key is wrong.',
        method: 'GET',
        path,
        address,
        request,
        caller: id,
      },
      {
        event: 'forbidden',
        why: 'vic has the roles viewer; this needs the role operator.',
        ...{ method: 'POST', path, address, request, caller: 'vic' },
      },
    ]);
    const secrets = [key, wrong, scene.home.key].map((text) => text.split('_').slice(2).join('_') || text);
    for (const secret of [...secrets, 'hidden', 'Bearer']) {
      expect(JSON.stringify(scene.audited)).not.toContain(secret);
    }
  });
});
