import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import fc from 'fast-check';
import { guard, SECURITY_HEADERS, storedKeys, type AccessLine } from '../../api/auth';
import { RateLimit } from '../../api/auth/rate-limit';
import { type RailyardError } from '../../src/errors';
import { createKey, revokeKey } from '../../src/home';
import { Scene, type Answer } from './auth-scene';

const RUNS = '/api/a360/factory-run';

describe('a rate limit', () => {
  it('never lets more through than the burst and what the time gives, and always what the time gives', () => {
    const rate = fc.record({
      perSecond: fc.integer({ min: 1, max: 50 }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    const waits = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(rate, waits, (given, pauses) => {
        let now = 0;
        let taken = 0;
        const limit = new RateLimit(given, () => now);
        for (const pause of pauses) {
          now += pause;
          const wait = limit.take('who');
          if (wait === 0) taken += 1;
          else {
            // Whoever waits as long as they are told to is let in.
            now += wait;
            expect(limit.take('who')).toBe(0);
            taken += 1;
          }
        }
        expect(taken).toBeLessThanOrEqual(given.burst + (now / 1_000) * given.perSecond + 1e-6);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is of each caller alone', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0);
    expect([limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 1_000, 0]);
  });

  it('forgets whoever was quiet longest, and not those who are busy', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0);
    limit.take('quiet');
    limit.take('busy');
    for (let i = 0; i < 9_999; i += 1) {
      limit.take(`other ${i}`);
      limit.take('busy');
    }
    expect(limit.take('busy')).toBe(1_000);
    expect(limit.take('quiet')).toBe(0);
  });
});

describe('a caller who comes too often', () => {
  let scene: Scene;
  beforeAll(async () => {
    // So slow that nothing comes back during a test.
    const perSecond = 0.001;
    scene = await Scene.open({
      limits: { principal: { perSecond, burst: 3 }, stranger: { perSecond, burst: 2 } },
    });
  });
  afterAll(() => scene.close());

  const times = async (count: number, call: () => Promise<Answer>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i += 1) statuses.push((await call()).status);
    return statuses;
  };

  it('is told when to come back, while others are served', async () => {
    const [busy, calm] = [await scene.key('busy', 'viewer'), await scene.key('calm', 'viewer')];
    expect(await times(5, () => scene.call('GET', RUNS, busy))).toEqual([200, 200, 200, 429, 429]);
    const { body, headers } = await scene.call('GET', RUNS, busy);
    const { code, retry } = body as RailyardError;
    expect(code).toBe('RATE_LIMITED');
    const afterMs = retry.kind === 'retryable_after_ms' ? retry.afterMs : 0;
    expect(afterMs).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBe(Math.ceil(afterMs / 1_000));
    expect((await scene.call('GET', RUNS, calm)).status).toBe(200);
    // Another key of the same person is no way around it.
    expect((await scene.call('GET', RUNS, await scene.key('busy', 'operator'))).status).toBe(429);
  });

  it('without a good key neither fills the log nor keeps out those who have one', async () => {
    const before = scene.audited.length;
    expect(await times(6, () => scene.call('GET', RUNS, 'wrong'))).toEqual([401, 401, 429, 429, 429, 429]);
    expect(scene.audited.length - before).toBe(2);
    expect(await times(3, () => scene.call('GET', '/healthz', null))).toEqual([200, 200, 429]);
    expect((await scene.call('GET', RUNS, await scene.key('new', 'viewer'))).status).toBe(200);
  });

  it('with calls of webhooks that prove nothing neither fills the log nor says more', async () => {
    const before = scene.audited.length;
    // The address of these tests has used up what strangers have; the same budget counts calls without a signature.
    const statuses = await times(4, () => scene.call('POST', `${RUNS}/none/webhook/x`, null, {}));
    expect(statuses).toEqual([429, 429, 429, 429]);
    expect(scene.audited.length).toBe(before);
  });

  it('with the local key is served all the same', async () => {
    expect(await times(10, () => scene.call('GET', RUNS, scene.home.key))).toEqual(Array(10).fill(200));
  });
});

describe('every answer', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open();
  });
  afterAll(() => scene.close());

  it('says that it is to be neither run, framed nor guessed at, and opens nothing to other origins', async () => {
    const key = await scene.key('vera', 'viewer');
    const answers = [
      await scene.call('GET', '/healthz', null),
      await scene.call('GET', RUNS, key),
      await scene.call('HEAD', RUNS, key),
      await scene.call('GET', RUNS, null),
      await scene.call('POST', RUNS, key, {}),
      await scene.call('GET', '/nothing', key),
      await scene.call('OPTIONS', RUNS, key),
      await scene.call('GET', '/%zz', null),
      await scene.call('POST', RUNS, scene.home.key, 'no object'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 403, 404, 405, 400, 400]);
    for (const { headers } of answers) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name)).toBe(value);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('says so even to what is not HTTP', async () => {
    const { hostname, port } = new URL(scene.url);
    const socket = connect(Number(port), hostname);
    socket.write('nonsense\r\n\r\n');
    expect(await text(socket)).toContain('x-content-type-options: nosniff');
  });

  it('to a browser of another origin is one that it may not read', async () => {
    const response = await fetch(`${scene.url}${RUNS}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('an answer that goes on', () => {
  it('ends when the key it was asked for with is revoked, and not before', async () => {
    const scene = await Scene.open();
    const audited: AccessLine[] = [];
    const server = fastify();
    const audit = (line: AccessLine): number => audited.push(line);
    guard(server, { key: 'x', callers: [storedKeys(scene.home)], audit, recheckMs: 20 });
    // A path of the table, with a stream behind it.
    server.get(RUNS, (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200).write('first');
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const { key, record } = await createKey(scene.home, { name: 'sue', roles: ['viewer'], expires: null });
    const response = await fetch(`${url}${RUNS}`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    await revokeKey(scene.home, record.id);
    await expect(response.text()).rejects.toThrow();
    expect(audited).toMatchObject([{ event: 'unauthenticated', caller: record.id, path: RUNS }]);
    await server.close();
    await scene.close();
  });
});
