import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeOf, Scene } from './auth-scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

interface NewKey {
  readonly key: string;
  readonly id: string;
}

const make = (body: unknown) => scene.call('POST', '/api/a360/key', scene.home.key, body);

describe('keys over HTTP', () => {
  it('are made by the local key, shown once, listed without their secret, and end when they are revoked', async () => {
    const made = await make({ name: 'ann@example.org', roles: ['expert'] });
    const { key, id } = made.body as NewKey;
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect((await scene.call('GET', '/api/a360/factory-run', key)).status).toBe(200);

    const listed = await scene.call('GET', '/api/a360/key', scene.home.key);
    // The secret, which may have the separator in it.
    expect(JSON.stringify(listed.body)).not.toContain(key.slice(`ryk_${id}_`.length));
    expect(listed.body).toMatchObject({ keys: [{ id, name: 'ann@example.org', state: 'active' }] });

    const revoked = await scene.call('POST', `/api/a360/key/${id}/revoke`, scene.home.key);
    expect(revoked.body).toMatchObject({ id, state: 'revoked' });
    expect(codeOf(await scene.call('GET', '/api/a360/factory-run', key))).toBe('UNAUTHENTICATED');
  });

  it.each([
    ['no role', { name: 'ann', roles: [] }],
    ['a role of two words', { name: 'ann', roles: ['tech lead'] }],
    ["the local key's name", { name: 'local', roles: ['viewer'] }],
    ['an end that is over', { name: 'ann', roles: ['viewer'], expires: '2020-01-01T00:00:00Z' }],
    ['no name', { roles: ['viewer'] }],
  ])('are refused with %s', async (_what, body) => {
    expect(codeOf(await make(body))).toBe('INPUT_INVALID');
  });

  it('are listed page by page, the oldest first, by state and by name', async () => {
    const list = async (query: string) => {
      const { body } = await scene.call('GET', `/api/a360/key?${query}`, scene.home.key);
      return body as { keys: { name: string; state: string }[]; next_cursor: string | null };
    };
    for (const name of ['pat', 'quin', 'pat', 'rae']) await make({ name, roles: ['viewer'] });
    const names: string[] = [];
    let query = 'limit=2';
    for (;;) {
      const { keys, next_cursor } = await list(query);
      names.push(...keys.map(({ name }) => name));
      if (next_cursor === null) break;
      query = `limit=2&cursor=${next_cursor}`;
    }
    const all = (await list('limit=200')).keys.map(({ name }) => name);
    expect([names, names.slice(-4).sort()]).toEqual([all, ['pat', 'pat', 'quin', 'rae']]);
    expect((await list('name=pat')).keys).toHaveLength(2);
    expect((await list('state=expired')).keys).toEqual([]);
    expect((await list('state=revoked')).keys.every(({ state }) => state === 'revoked')).toBe(true);
  });

  it('that are not there cannot be revoked', async () => {
    expect(codeOf(await scene.call('POST', '/api/a360/key/none/revoke', scene.home.key))).toBe(
      'KEY_NOT_FOUND',
    );
  });
});
