import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Home } from './railyard';

let home: Home;
beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home.remove());

interface KeyLine {
  readonly id: string;
  readonly key?: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly state: string;
  readonly expires: string | null;
}

const list = async (): Promise<KeyLine[]> => (await home.json<{ keys: KeyLine[] }>('keys', 'list')).keys;

describe('railyard keys', () => {
  it('has none in a new data directory, and says how one is made', async () => {
    expect(await list()).toEqual([]);
    expect((await home.run('keys', 'list')).out).toContain('railyard keys create');
  });

  it('makes a key that is shown once and of which only the hash is kept, for its owner alone', async () => {
    const made = await home.run(
      'keys',
      'create',
      'ann@example.org',
      '--role',
      'expert',
      '--role',
      'operator',
    );
    expect(made.code).toBe(0);
    const [key = ''] = made.out.split('\n');
    expect(key).toMatch(/^ryk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/);
    const folder = join(home.root, 'keys');
    const [name = ''] = await readdir(folder);
    const kept = await readFile(join(folder, name), 'utf8');
    expect(kept).toContain('ann@example.org');
    expect(kept).not.toContain(key.slice(17));
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const shown = await home.run('keys', 'list');
    expect(shown.out).toMatch(/ann@example\.org {2}expert, operator {2}active/);
    expect(shown.out).not.toContain(key.slice(17));
    expect(JSON.stringify(await list())).not.toContain('hash');
  });

  it('makes a key that ends', async () => {
    const before = Date.now();
    const made = await home.json<KeyLine>('keys', 'create', 'bo', '--role', 'viewer', '--expires', '30d');
    const ends = Date.parse(made.expires ?? '');
    expect(ends - 30 * 86_400_000).toBeGreaterThanOrEqual(before);
    expect(ends - 30 * 86_400_000).toBeLessThanOrEqual(Date.now());
    const dated = await home.json<KeyLine>(
      'keys',
      'create',
      'bo',
      '--role',
      'viewer',
      '--expires',
      '2999-01-31',
    );
    expect(dated.expires).toBe('2999-01-31T00:00:00.000Z');
  });

  it('revokes a key, also twice', async () => {
    const { id } = await home.json<KeyLine>('keys', 'create', 'cy', '--role', 'viewer');
    const revoked = await home.json<KeyLine>('keys', 'revoke', id);
    expect(revoked).toMatchObject({ id, name: 'cy', state: 'revoked' });
    expect(await home.json('keys', 'revoke', id)).toEqual(revoked);
    expect((await list()).find((key) => key.id === id)).toMatchObject({ state: 'revoked' });
  });

  it('says which key there is not', async () => {
    for (const id of ['0123456789ab', '../key', '']) {
      const { code, err } = await home.run('keys', 'revoke', id);
      expect(code).toBe(4);
      expect(err).toContain('KEY_NOT_FOUND');
    }
  });

  it.each([
    ['no role', ['create', 'x']],
    ['no name', ['create', ' ', '--role', 'viewer']],
    ['the name of the local key', ['create', 'local', '--role', 'viewer']],
    ['a role of two words', ['create', 'x', '--role', 'tech lead']],
    ['a time that is over', ['create', 'x', '--role', 'viewer', '--expires', '2020-01-01']],
    ['a time that is none', ['create', 'x', '--role', 'viewer', '--expires', 'soon']],
    ['a word it does not know', ['make', 'x']],
  ])('refuses %s with exit code 2', async (_what, args) => {
    const before = await list();
    const { code, err } = await home.run('keys', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining('--help')]);
    expect(await list()).toEqual(before);
  });

  it.each(['create', 'list', 'revoke'])('explains itself: %s', async (command) => {
    const { code, out } = await home.run('keys', command, '--help');
    expect([code, out]).toEqual([0, expect.stringContaining(`Usage: railyard keys ${command}`)]);
  });
});
