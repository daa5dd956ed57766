import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effective, readConfig, SETTINGS, type ConfigOptions } from '../../src/config';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'railyard-config-'));
});
afterAll(() => rm(root, { recursive: true }));

const read = (options: Partial<ConfigOptions> = {}) => readConfig({ root, env: {}, ...options });
const write = (value: unknown): Promise<void> =>
  writeFile(join(root, 'railyard.json'), typeof value === 'string' ? value : JSON.stringify(value));
const problems = (options: Partial<ConfigOptions> = {}): { pointer: string; fix: string }[] => {
  const error = read(options)._unsafeUnwrapErr();
  expect(error.code).toBe('CONFIG_INVALID');
  return error.details?.problems as { pointer: string; fix: string }[];
};

describe('the configuration', () => {
  it('is complete without a word from anybody', () => {
    const { config, file, sourceOf } = read({ root: '/nowhere' })._unsafeUnwrap();
    expect(config).toMatchObject({
      http: { host: '127.0.0.1', port: 7360, cors_origins: [] },
      worker: { slots: 16 },
      temporal: { address: null, namespace: 'default' },
    });
    expect([file, sourceOf('http.port')]).toEqual([null, 'default']);
  });

  it('is what the command line says, else the environment, else the file', async () => {
    await write({ http: { port: 1, host: 'file' }, worker: { slots: 3 }, log: { level: 'warn' } });
    const env = { RAILYARD_HTTP_PORT: '2', RAILYARD_SLOTS: '4', RAILYARD_LOG_LEVEL: '' };
    const loaded = read({ env, flags: { 'http.port': 3, 'http.host': undefined } })._unsafeUnwrap();
    expect(loaded.config).toMatchObject({
      http: { port: 3, host: 'file' },
      worker: { slots: 4 },
      log: { level: 'warn' },
    });
    expect(['http.port', 'http.host', 'worker.slots', 'log.max_bytes'].map(loaded.sourceOf)).toEqual([
      'command line',
      'file',
      'environment',
      'default',
    ]);
  });

  it('is in the file that is named, by --config before RAILYARD_CONFIG', async () => {
    const [one, two] = [join(root, 'one.json'), join(root, 'two.json')];
    await writeFile(one, '{"worker": {"slots": 1}}');
    await writeFile(two, '{"worker": {"slots": 2}}');
    const env = { RAILYARD_CONFIG: one };
    expect(read({ env })._unsafeUnwrap().config.worker.slots).toBe(1);
    expect(read({ env, file: two })._unsafeUnwrap().config.worker.slots).toBe(2);
    const gone = read({ env: { RAILYARD_CONFIG: join(root, 'gone.json') } })._unsafeUnwrapErr();
    expect([gone.code, gone.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('gone.json')]);
  });

  it('has paths relative to the file, and lists in variables', async () => {
    await write({
      worker: { skills: ['skills', '/abs'] },
      tokens: { jwks_file: 'k', issuer: 'i', audience: 'a' },
    });
    const { config } = read({ env: { RAILYARD_ENV_ALLOW: ' A, B,,' } })._unsafeUnwrap();
    expect(config.worker).toEqual({
      slots: 16,
      skills: [join(root, 'skills'), '/abs'],
      env_allow: ['A', 'B'],
    });
    expect(config.tokens.jwks_file).toBe(join(root, 'k'));
  });
});

describe('what is wrong with it', () => {
  it('is said all at once: unknown keys with the nearest one, values under the name that the person used', async () => {
    await write({ htpp: {}, http: { prot: 1, port: 'x' }, tokens: { issuer: 'i' }, log: 5 });
    const found = problems({ env: { RAILYARD_SLOTS: 'many', TEMPORAL_TLS: 'perhaps' } });
    expect(found.map(({ pointer }) => pointer).sort()).toEqual(
      ['/htpp', '/http/prot', '/http/port', '/log', '/tokens', 'RAILYARD_SLOTS', 'TEMPORAL_TLS'].sort(),
    );
    expect(found.find(({ pointer }) => pointer === '/htpp')?.fix).toBe('Use "http".');
    expect(found.find(({ pointer }) => pointer === '/http/prot')?.fix).toBe('Use "port".');
  });

  it.each([
    [{ RAILYARD_SLOTS: '0' }],
    [{ RAILYARD_SLOTS: '1.5' }],
    [{ RAILYARD_HTTP_PORT: '65536' }],
    [{ RAILYARD_HTTP_CORS_ORIGINS: '*' }],
    [{ RAILYARD_HTTP_CORS_ORIGINS: 'https://a.example/path' }],
    [{ TEMPORAL_TLS_CLIENT_CERT_PATH: 'half' }],
  ])('%j is refused', async (env) => {
    await write({});
    expect(problems({ env })).toHaveLength(1);
  });

  it('is the place in a text that is not JSON', async () => {
    await write('{"http": {"port": 1,}}');
    expect(read()._unsafeUnwrapErr().message).toContain('line 1, column 21');
    await write('[]');
    expect(problems()).toHaveLength(1);
  });

  it('is an error and never a crash, whatever the file says', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom('http', 'log', 'tokens'), fc.jsonValue()),
    );
    await fc.assert(
      fc.asyncProperty(value, async (file) => {
        await write(file);
        const error = read().match(
          () => null,
          ({ code }) => code,
        );
        expect([null, 'CONFIG_INVALID']).toContain(error);
      }),
      { numRuns: 200 },
    );
  });

  it('is a warning where a variable looks like a setting', async () => {
    await write({});
    const { warnings } = read({ env: { RAILYARD_SLOT: '4', RAILYARD_OTHER_THING: 'x' } })._unsafeUnwrap();
    expect(warnings).toEqual(['RAILYARD_SLOT is not a setting; is RAILYARD_SLOTS meant?']);
  });
});

describe('a look at it', () => {
  it('shows every setting and who said so, and no secret', async () => {
    await write({});
    const shown = effective(read({ env: { TEMPORAL_API_KEY: 'hush' } })._unsafeUnwrap());
    expect(shown.map(({ key }) => key)).toEqual(SETTINGS.map(({ key }) => key));
    expect(shown.find(({ key }) => key === 'temporal.api_key')).toMatchObject({ source: 'environment' });
    expect(JSON.stringify(shown)).not.toContain('hush');
  });

  it('finds a variable of its own for each setting', () => {
    expect(new Set(SETTINGS.map(({ env }) => env)).size).toBe(SETTINGS.length);
  });
});
