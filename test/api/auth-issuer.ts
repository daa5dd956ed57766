/** An issuer of tokens, made of node:crypto alone: what we check with must agree with what others sign with. */
import { createHmac, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;
export type Algorithm = 'RS256' | 'ES256' | 'EdDSA';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'railyard';

const MAKE: Readonly<Record<Algorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

/** A key of the issuer. */
export class IssuerKey {
  private readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

  constructor(
    readonly algorithm: Algorithm,
    readonly kid: string,
    pair?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  ) {
    this.pair = pair ?? MAKE[algorithm]();
  }

  get jwk(): JsonWebKey {
    return { ...this.pair.publicKey.export({ format: 'jwk' }), kid: this.kid, use: 'sig' };
  }

  get pem(): string {
    return this.pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  }

  /** A token that says this on top of what makes it good, with a header of this on top of the right one. */
  token(claims: Claims = {}, header: Claims = {}): string {
    const text = unsigned(claims, { alg: this.algorithm, kid: this.kid, ...header });
    return `${text}.${this.sign(Buffer.from(text)).toString('base64url')}`;
  }

  private sign(data: Buffer): Buffer {
    const { privateKey: key } = this.pair;
    if (this.algorithm === 'EdDSA') return sign(null, data, key);
    return sign('sha256', data, this.algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key);
  }
}

/** A token of no one. */
export const unsignedToken = (claims: Claims, header: Claims): string => `${unsigned(claims, header)}.`;

/** A token signed with a shared secret. */
export function sharedSecretToken(secret: string, claims: Claims, header: Claims): string {
  const text = unsigned(claims, { alg: 'HS256', ...header });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function unsigned(claims: Claims, header: Claims): string {
  const now = Math.floor(Date.now() / 1_000);
  const good = { iss: ISSUER, aud: AUDIENCE, sub: 'tom', roles: ['viewer'], exp: now + 300 };
  const part = (value: Claims): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ typ: 'JWT', ...header })}.${part({ ...good, ...claims })}`;
}
