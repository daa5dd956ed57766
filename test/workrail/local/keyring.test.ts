import crypto from 'node:crypto';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { currentSigner, keyringSigner, LocalKeyring } from '../../../src/workrail/local';
import { decodeToken, encodeToken } from '../../../src/workrail/tokens';
import { key, state } from '../tokens/tokens';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'railyard-keyring-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (): string => join(root, 'keys', 'keyring.json');
const signerHere = async () => (await currentSigner(new LocalKeyring(root)))._unsafeUnwrap();

/** The built store in a process of its own. */
const DIST = resolve(__dirname, '../../../dist/src/workrail');
async function inAnotherProcess(body: string): Promise<string> {
  const script = `
    const { LocalKeyring, currentSigner } = require(${JSON.stringify(join(DIST, 'local'))});
    const { encodeToken, decodeToken } = require(${JSON.stringify(join(DIST, 'tokens'))});
    const keyring = new LocalKeyring(${JSON.stringify(root)});
    const state = ${JSON.stringify(state)};
    (async () => { ${body} })().then((text) => process.stdout.write(String(text)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
  return stdout;
}
const MINT = 'return encodeToken(state, (await currentSigner(keyring))._unsafeUnwrap());';

describe('a new data directory', () => {
  it('[keyring-two-keys] [keyring-32-byte-entropy] gets one key of 32 bytes, and no previous one', async () => {
    const keyring = (await new LocalKeyring(root).read())._unsafeUnwrap();
    expect(keyring.current).toHaveLength(32);
    expect(keyring.previous).toBeNull();
    const kept = JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
    const text = Buffer.from(keyring.current).toString('base64url');
    expect(kept).toEqual({ version: 1, current: text, previous: null });
  });

  it('keeps it for its owner alone', async () => {
    await new LocalKeyring(root).read();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('gets one keyring though many processes come first, and each accepts the tokens of the others', async () => {
    const tokens = await Promise.all(Array.from({ length: 6 }, () => inAnotherProcess(MINT)));
    expect(new Set(tokens).size).toBe(1);
    const signer = await signerHere();
    expect(decodeToken('state', tokens[0] ?? '', signer)._unsafeUnwrap()).toEqual(state);
    expect(readdirSync(join(root, 'keys'))).toEqual(['keyring.json']);
  });
});

describe('rotation', () => {
  it('makes the current key the previous one, and forgets the one before', async () => {
    const keyring = new LocalKeyring(root);
    const first = (await keyring.read())._unsafeUnwrap();
    const second = (await keyring.rotate())._unsafeUnwrap();
    const third = (await keyring.rotate())._unsafeUnwrap();
    expect(second.previous).toEqual(first.current);
    expect(third.previous).toEqual(second.current);
    expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')) as object)).toEqual([
      'version',
      'current',
      'previous',
    ]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('leaves tokens good until the next one', async () => {
    const keyring = new LocalKeyring(root);
    const token = encodeToken(state, await signerHere());
    const read = async () => decodeToken('state', token, (await currentSigner(keyring))._unsafeUnwrap());
    await keyring.rotate();
    expect((await read()).isOk()).toBe(true);
    await keyring.rotate();
    expect((await read())._unsafeUnwrapErr().code).toBe('TOKEN_BAD_SIGNATURE');
  });

  it('by another process counts at the next call', async () => {
    const keyring = new LocalKeyring(root);
    const before = (await keyring.read())._unsafeUnwrap();
    const token = await inAnotherProcess(`await keyring.rotate(); ${MINT}`);
    const after = (await keyring.read())._unsafeUnwrap();
    expect(after.previous).toEqual(before.current);
    expect(decodeToken('state', token, keyringSigner(after)).isOk()).toBe(true);
  });

  it('by several at once loses none: each key was current once, in a row', async () => {
    const keyrings = Array.from({ length: 5 }, () => new LocalKeyring(root));
    const rotations = (await Promise.all(keyrings.map((one) => one.rotate()))).map((one) =>
      one._unsafeUnwrap(),
    );
    const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('base64url');
    expect(new Set(rotations.map(({ current }) => text(current))).size).toBe(5);
    expect(new Set(rotations.map(({ previous }) => text(previous))).size).toBe(5);
  });
});

describe('a keyring that cannot be trusted', () => {
  const good = Buffer.from(key(1)).toString('base64url');
  it.each([
    ['empty', ''],
    ['torn', `{"version":1,"current":"${good}"`],
    ['of a short key', JSON.stringify({ version: 1, current: good.slice(0, 40), previous: null })],
    ['of three keys', JSON.stringify({ version: 1, current: good, previous: good, older: good })],
    ['of a version to come', JSON.stringify({ version: 2, current: good, previous: null })],
  ])('is STORE_KEYRING_INVALID when it is %s, says what to do, and stays as it is', async (_, text) => {
    await new LocalKeyring(root).read();
    writeFileSync(file(), text);
    const keyring = new LocalKeyring(root);
    for (const result of [await keyring.read(), await keyring.rotate()]) {
      const error = result._unsafeUnwrapErr();
      expect(error.code).toBe('STORE_KEYRING_INVALID');
      expect(error.suggestion).toContain('keys/keyring.json');
    }
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it('is refused when others may read it, also by a process that has read it before', async () => {
    const keyring = new LocalKeyring(root);
    await keyring.read();
    chmodSync(file(), 0o644);
    const error = (await keyring.read())._unsafeUnwrapErr();
    expect(error.code).toBe('STORE_KEYRING_INVALID');
    expect(error.suggestion).toContain('chmod 600');
    expect(statSync(file()).mode & 0o777).toBe(0o644);
  });

  it('is STORE_IO where the data directory is a file', async () => {
    const path = join(root, 'file');
    writeFileSync(path, '');
    expect((await new LocalKeyring(path).read())._unsafeUnwrapErr().code).toBe('STORE_IO');
  });
});

describe('a signature', () => {
  const payload = new TextEncoder().encode('{}');
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('[keyring-verification-order] is tried with the current key, then with the previous one', () => {
    const hmac = jest.spyOn(crypto, 'createHmac');
    const signer = keyringSigner({ current: key(2), previous: key(1) });
    expect(signer.verify(payload, keyringSigner({ current: key(2), previous: null }).sign(payload))).toBe(
      true,
    );
    expect(hmac.mock.calls.map(([, used]) => used)).toEqual([key(2), key(2)]);
    hmac.mockClear();
    expect(signer.verify(payload, keyringSigner({ current: key(1), previous: null }).sign(payload))).toBe(
      true,
    );
    expect(hmac.mock.calls.map(([, used]) => used)).toEqual([key(1), key(2), key(1)]);
  });

  it('[token-signature-timing-safe] is compared in constant time', () => {
    const compare = jest.spyOn(crypto, 'timingSafeEqual');
    const signer = keyringSigner({ current: key(2), previous: key(1) });
    expect(signer.verify(payload, new Uint8Array(32))).toBe(false);
    expect(compare).toHaveBeenCalledTimes(2);
  });
});
