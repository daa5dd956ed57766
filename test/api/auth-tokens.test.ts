import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tokenRules, tokens } from '../../api/auth';
import { urlSet } from '../../api/auth/jwk-set';
import { readConfig } from '../../src/config';
import { codeOf, Scene } from './auth-scene';
import { AUDIENCE, ISSUER, IssuerKey, sharedSecretToken, unsignedToken } from './auth-issuer';

const [rsa, ec, ed] = [new IssuerKey('RS256', 'r'), new IssuerKey('ES256', 'e'), new IssuerKey('EdDSA', 'd')];
const weak = new IssuerKey('RS256', 'weak', generateKeyPairSync('rsa', { modulusLength: 1024 }));

let folder: string;
let file: string;
let scene: Scene;

const rulesIn = (env: NodeJS.ProcessEnv) =>
  readConfig({ root: '/nowhere', env }).map(({ config }) => tokenRules(config.tokens));
const rules = (env: NodeJS.ProcessEnv) =>
  rulesIn({ RAILYARD_JWT_ISSUER: ISSUER, RAILYARD_JWT_AUDIENCE: AUDIENCE, ...env });
const write = (...keys: unknown[]): Promise<void> => writeFile(file, JSON.stringify({ keys }));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'railyard-tokens-'));
  file = join(folder, 'jwks.json');
  await write(rsa.jwk, ec.jwk, ed.jwk, weak.jwk, { kty: 'unheard of' }, 5);
  const read = rules({ RAILYARD_JWKS_FILE: file })._unsafeUnwrap();
  if (!read) throw new Error('There are no rules');
  scene = await Scene.open({ callers: [tokens(read)] });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
  expect(scene.faults).toEqual([]);
});

const read = async (token: string, path = '/api/a360/factory-run'): Promise<[number, string]> => {
  const { status, body } = await scene.call('GET', path, token);
  return [status, (body as { message?: string }).message ?? ''];
};
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

describe('a token', () => {
  it.each([rsa, ec, ed])('of the issuer opens what its roles open: $algorithm', async (key) => {
    expect(await read(key.token())).toEqual([200, '']);
    const [start, body] = ['/api/a360/factory-run', { template: {} }];
    expect(codeOf(await scene.call('POST', start, key.token(), body))).toBe('FORBIDDEN');
    const operator = key.token({ roles: ['operator'] });
    expect(codeOf(await scene.call('POST', start, operator, body))).toBe('TEMPLATE_INVALID');
    expect(codeOf(await scene.call('POST', start, operator, { ...body, started_by: 'x' }))).toBe('FORBIDDEN');
  });

  it('may have several audiences, its roles in one text, and clocks that differ a little', async () => {
    for (const claims of [
      { aud: ['other', AUDIENCE] },
      { roles: 'viewer expert' },
      { exp: inSeconds(-10) },
      { nbf: inSeconds(10) },
    ]) {
      expect(await read(rsa.token(claims))).toEqual([200, '']);
    }
  });

  it('without a role opens nothing', async () => {
    for (const roles of [undefined, [], '', null, 5, { viewer: true }, [5]]) {
      expect((await read(rsa.token({ roles })))[0]).toBe(403);
    }
  });

  it('named like the local key has none of its powers', async () => {
    expect((await read(rsa.token({ sub: 'local', roles: [] })))[0]).toBe(403);
  });

  const refused: [string, () => string, string][] = [
    ['expired', () => rsa.token({ exp: inSeconds(-60) }), 'expired'],
    ['without an end', () => rsa.token({ exp: undefined }), 'lacks'],
    ['with an end that is no number', () => rsa.token({ exp: '9999999999' }), 'lacks'],
    ['not valid yet', () => rsa.token({ nbf: inSeconds(120) }), 'not valid yet'],
    ['of the wrong audience', () => rsa.token({ aud: 'other' }), 'another audience'],
    ['of no audience', () => rsa.token({ aud: undefined }), 'lacks'],
    ['of an audience that only begins alike', () => rsa.token({ aud: `${AUDIENCE}2` }), 'another audience'],
    ['of the wrong issuer', () => rsa.token({ iss: `${ISSUER}/` }), 'another issuer'],
    ['without a name', () => rsa.token({ sub: undefined }), 'no name'],
    ['with an empty name', () => rsa.token({ sub: ' ' }), 'no name'],
    ['with half a character in its name', () => rsa.token({ sub: 'tom\ud83d' }), 'no name'],
    ['with alg none', () => unsignedToken({}, { alg: 'none', kid: 'r' }), 'algorithm'],
    ['with alg None', () => unsignedToken({}, { alg: 'None', kid: 'r' }), 'algorithm'],
    ['with an alg of every object', () => unsignedToken({}, { alg: 'constructor', kid: 'r' }), 'algorithm'],
    ['HS256 with the public key', () => sharedSecretToken(rsa.pem, {}, { kid: 'r' }), 'algorithm'],
    [
      'HS256 that says it is RS256',
      () => sharedSecretToken(rsa.pem, {}, { alg: 'RS256', kid: 'r' }),
      'not signed',
    ],
    ['signed with the key of another algorithm', () => rsa.token({}, { kid: 'e' }), 'does not have'],
    ['of another algorithm than its key', () => ec.token({}, { alg: 'RS256' }), 'does not have'],
    ['of an unknown kid', () => rsa.token({}, { kid: 'unknown' }), 'does not have'],
    ['without a kid', () => rsa.token({}, { kid: undefined }), 'cannot be read'],
    ['signed by somebody else', () => new IssuerKey('RS256', 'r').token(), 'not signed'],
    ['with an RSA key that is too short', () => weak.token(), 'not signed'],
    ['that brings its own key', () => rsa.token({}, { kid: 'mine', jwk: rsa.jwk }), 'does not have'],
    ['with something critical', () => rsa.token({}, { crit: ['b64'], b64: false }), 'cannot be read'],
    ['without its signature', () => rsa.token().replace(/[^.]*$/, ''), 'not signed'],
    ['with another payload', () => graft(rsa.token(), rsa.token({ roles: ['operator'] })), 'not signed'],
    ['that is not JSON', () => 'aaaa.bbbb.cccc', 'cannot be read'],
  ];
  it.each(refused)('%s is refused', async (_what, make, why) => {
    expect(await read(make())).toEqual([401, expect.stringContaining(why)]);
  });
});

describe('keys of the issuer', () => {
  it('in a file count from the moment they are changed', async () => {
    const next = new IssuerKey('ES256', 'next');
    expect((await read(next.token()))[0]).toBe(401);
    await write(rsa.jwk, next.jwk);
    expect((await read(next.token()))[0]).toBe(200);
    expect((await read(ec.token()))[0]).toBe(401);
    await write(rsa.jwk, ec.jwk, ed.jwk, weak.jwk);
  });

  it('that cannot be read open nothing, and the caller is told to come back and no more', async () => {
    await writeFile(file, 'nonsense');
    const answer = await scene.call('GET', '/api/a360/factory-run', rsa.token());
    expect([answer.status, codeOf(answer)]).toEqual([503, 'SERVICE_AWAY']);
    await rm(file);
    const missing = await scene.call('GET', '/api/a360/factory-run', rsa.token());
    expect([missing.status, codeOf(missing)]).toEqual([503, 'SERVICE_AWAY']);
    expect(JSON.stringify(missing.body)).not.toContain(folder);
    expect(scene.audited.at(-1)).toMatchObject({
      event: 'unauthenticated',
      detail: expect.stringContaining(file),
    });
    await write(rsa.jwk, ec.jwk, ed.jwk, weak.jwk);
  });
});

describe('keys of the issuer at a URL', () => {
  let issuer: Server;
  let served: { status: number; body: string };
  let asked = 0;
  let url = '';
  beforeAll(async () => {
    issuer = createServer((_request, response) => {
      asked += 1;
      response.writeHead(served.status, { location: '/elsewhere' }).end(served.body);
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`;
  });
  afterAll(() => void issuer.close());

  const serve = (...keys: unknown[]): void => {
    served = { status: 200, body: JSON.stringify({ keys }) };
  };
  /** A clock that is set by hand, and who a token is at that time. */
  const at = () => {
    const clock = { ms: Date.now() };
    const set = urlSet(url, () => clock.ms);
    const source = tokens({
      keys: set,
      issuer: ISSUER,
      audience: AUDIENCE,
      nameClaim: 'sub',
      rolesClaim: 'roles',
    });
    const who = async (token: string): Promise<string> => {
      const known = await source(token);
      return known === null
        ? 'no token'
        : known.match(
            ({ name }) => name,
            ({ kind }) => kind,
          );
    };
    return { clock, who };
  };

  it('are asked for once, however many come', async () => {
    serve(rsa.jwk, ec.jwk);
    const { who } = at();
    const before = asked;
    const all = await Promise.all([rsa, ec, rsa, ec].map((key) => who(key.token())));
    expect([...all, await who(rsa.token())]).toEqual(Array(5).fill('tom'));
    expect(asked - before).toBe(1);
  });

  it('are asked for again when a token names a new one, and not at the pace of those who make names up', async () => {
    serve(rsa.jwk);
    const { clock, who } = at();
    expect(await who(ec.token())).toBe('refused');
    serve(ec.jwk);
    const before = asked;
    for (let i = 0; i < 20; i += 1) expect(await who(ec.token())).toBe('refused');
    expect(asked).toBe(before);
    clock.ms += 10_000;
    expect(await who(ec.token())).toBe('tom');
    expect(asked - before).toBe(1);
    // The issuer has withdrawn it.
    expect(await who(rsa.token())).toBe('refused');
  });

  it('that were withdrawn stop after five minutes even if nobody names a new one', async () => {
    serve(rsa.jwk, ec.jwk);
    const { clock, who } = at();
    expect(await who(rsa.token())).toBe('tom');
    serve(ec.jwk);
    clock.ms += 5 * 60_000;
    expect(await who(rsa.token())).toBe('refused');
  });

  it('are used for an hour while the issuer does not answer as it should', async () => {
    serve(rsa.jwk);
    const { clock, who } = at();
    expect(await who(rsa.token())).toBe('tom');
    for (const broken of [
      { status: 500, body: '' },
      { status: 302, body: '' },
      { status: 200, body: 'nonsense' },
      { status: 200, body: `{"keys":[],"x":"${'x'.repeat(1_000_001)}"}` },
    ]) {
      served = broken;
      clock.ms += 6 * 60_000;
      expect(await who(rsa.token())).toBe('tom');
    }
    clock.ms += 60 * 60_000;
    expect(await who(rsa.token())).toBe('undecided');
    serve(rsa.jwk);
    clock.ms += 10_000;
    expect(await who(rsa.token())).toBe('tom');
  });
});

describe('the settings of tokens', () => {
  it('are all there or none', () => {
    expect(rulesIn({})._unsafeUnwrap()).toBeNull();
    const [url, path] = ['https://issuer.example/jwks', 'x'];
    for (const env of [
      { RAILYARD_JWKS_FILE: path, RAILYARD_JWKS_URL: url },
      { RAILYARD_JWKS_FILE: path, RAILYARD_JWT_AUDIENCE: '' },
      { RAILYARD_JWKS_FILE: path, RAILYARD_JWT_ISSUER: '' },
      { RAILYARD_JWKS_URL: 'http://issuer.example/jwks' },
      { RAILYARD_JWKS_URL: 'file:///etc/passwd' },
      { RAILYARD_JWKS_URL: 'nonsense' },
      {},
    ]) {
      expect(rules(env)._unsafeUnwrapErr().code).toBe('CONFIG_INVALID');
    }
    expect(rules({ RAILYARD_JWKS_URL: url })._unsafeUnwrap()).toMatchObject({
      nameClaim: 'sub',
      rolesClaim: 'roles',
    });
    const named = rules({ RAILYARD_JWKS_FILE: path, RAILYARD_JWT_ROLES_CLAIM: 'groups' });
    expect(named._unsafeUnwrap()).toMatchObject({ rolesClaim: 'groups' });
  });
});

/** The signature of one token under another. */
function graft(signed: string, other: string): string {
  return [...other.split('.').slice(0, 2), signed.split('.')[2]].join('.');
}
