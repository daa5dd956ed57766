/**
 * Signed tokens (RFC 7519), checked with keys of a JWK set. The algorithm is one of three, and the key must be made for it:
 * a token cannot talk us into `none`, nor into taking a public key for a shared secret.
 */
import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { parseJson } from '../../src/home';

/** The algorithms that are accepted, and what a key for each must be. */
const ALGORITHMS = {
  RS256: { kty: 'RSA', crv: undefined },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
} as const;
type Algorithm = keyof typeof ALGORITHMS;

/** Shorter RSA keys are within reach of those who break them. */
const MIN_RSA_BITS = 2048;
/** How far the issuer's clock may be from ours. */
const LEEWAY_S = 30;

const Header = z.object({
  alg: z.string(),
  kid: z.string().max(500),
  // Whoever marks something as critical wants it refused where it is not understood, and we understand nothing of the kind.
  crit: z.never().optional(),
});

const Claims = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nbf: z.number().optional(),
});

/** What a token says that is signed by the right issuer, for us, and in time. */
export type Claims = z.infer<typeof Claims>;

/** One key of a JWK set. */
export const Jwk = z.looseObject({
  kty: z.string(),
  kid: z.string().optional(),
  crv: z.string().optional(),
  use: z.string().optional(),
  alg: z.string().optional(),
});
export type Jwk = z.infer<typeof Jwk>;

/** Whose tokens are accepted. */
export interface Expected {
  readonly issuer: string;
  readonly audience: string;
}

/** A token that has been read, not checked. */
export interface ReadToken {
  readonly algorithm: Algorithm;
  readonly kid: string;
  readonly signed: string;
  readonly signature: Buffer;
  readonly payload: unknown;
}

const TOKEN = /^(?<header>[A-Za-z0-9_-]+)\.(?<payload>[A-Za-z0-9_-]+)\.(?<signature>[A-Za-z0-9_-]*)$/;

/** Does this text have the form of a token? */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Read a token; the problem in words where it is none that could be accepted. */
export function readToken(text: string): Result<ReadToken, string> {
  const { header = '', payload = '', signature = '' } = TOKEN.exec(text)?.groups ?? {};
  const parsed = Header.safeParse(decode(header));
  if (!parsed.success) return err('The token cannot be read.');
  const { alg, kid } = parsed.data;
  if (!isAlgorithm(alg)) return err('The algorithm of the token is not accepted.');
  return ok({
    algorithm: alg,
    kid,
    signed: `${header}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
    payload: decode(payload),
  });
}

/** Is this the key that a token names, and made for its algorithm? */
export function suits({ algorithm, kid }: ReadToken, key: Jwk): boolean {
  const { kty, crv } = ALGORITHMS[algorithm];
  if (key.kid !== kid || key.kty !== kty || key.crv !== crv) return false;
  return (key.use ?? 'sig') === 'sig' && (key.alg ?? algorithm) === algorithm;
}

/** Check a token with the key it names; answers with what it says. */
export function checkToken(
  token: ReadToken,
  jwk: Jwk,
  expected: Expected,
  now: Date,
): Result<Claims, string> {
  const key = publicKey(jwk);
  if (!key || !isSigned(token, key)) return err('The token is not signed by its issuer.');
  const claims = Claims.safeParse(token.payload);
  if (!claims.success) return err('The token lacks an issuer, an audience or an end.');
  const { iss, aud, exp, nbf } = claims.data;
  const seconds = now.getTime() / 1_000;
  if (iss !== expected.issuer) return err('The token is of another issuer.');
  if (![aud].flat().includes(expected.audience)) return err('The token is for another audience.');
  if (exp + LEEWAY_S <= seconds) return err('The token has expired.');
  if (nbf !== undefined && nbf - LEEWAY_S > seconds) return err('The token is not valid yet.');
  return ok(claims.data);
}

function isSigned({ algorithm, signed, signature }: ReadToken, key: KeyObject): boolean {
  const data = Buffer.from(signed);
  switch (algorithm) {
    case 'RS256':
      return verify('sha256', data, key, signature);
    case 'ES256':
      return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    case 'EdDSA':
      return verify(null, data, key, signature);
  }
}

/** The key of a JWK; null where it is none that is strong enough. */
function publicKey(jwk: Jwk): KeyObject | null {
  try {
    // The public part only, whatever else is in the set by mistake.
    const { kty, crv, n, e, x, y } = jwk as JsonWebKey;
    const parts = Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => value !== undefined);
    const key = createPublicKey({ key: Object.fromEntries(parts), format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    return bits !== undefined && bits < MIN_RSA_BITS ? null : key;
  } catch {
    return null;
  }
}

const isAlgorithm = (name: string): name is Algorithm => Object.hasOwn(ALGORITHMS, name);
const decode = (part: string): unknown => parseJson(Buffer.from(part, 'base64url').toString());
