/**
 * Tokens as text: `<prefix>.v1.<payload>.<signature>` (locks, section 1.2). The payload is base64url of the canonical JSON of
 * the locked fields; the signature is base64url of HMAC-SHA256 over those JSON bytes and nothing else.
 *
 * A token is judged in this order, and the first fault is the answer: its four parts, its version, the kind that prefix,
 * payload and caller mean, its canonical form, its signature. So there is one text for a payload and a key.
 */
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { type TokenSigner } from '../ports';
import { fromBase64Url, toBase64Url } from './base64url';
import {
  TOKEN_PREFIXES,
  TOKEN_VERSION,
  tokenName,
  TokenPayload,
  type PayloadOf,
  type TokenKind,
} from './payload';

/** More than the longest token there can be: what is longer is not looked at. */
const MAX_TOKEN_LENGTH = 2048;
/** HMAC-SHA256. */
const SIGNATURE_BYTES = 32;

const VERSION = /^v(?<number>[1-9][0-9]{0,5})$/;
const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Mint a token. The same payload under the same key is always the same text. */
export function encodeToken(payload: TokenPayload, signer: TokenSigner): string {
  const bytes = bytesOf(payload);
  const prefix = TOKEN_PREFIXES[payload.tokenKind];
  return `${prefix}.v${TOKEN_VERSION}.${toBase64Url(bytes)}.${toBase64Url(signer.sign(bytes))}`;
}

/** Read a token that is to be of one kind: what it says, if this store said it. */
export function decodeToken<K extends TokenKind>(
  kind: K,
  token: string,
  signer: TokenSigner,
): Result<PayloadOf<K>, RailyardError> {
  const named = tokenName(kind);
  const malformed = (why: string) => err(problem('TOKEN_INVALID_FORMAT', `The ${named} ${why}.`));
  const otherVersion = (found: string) =>
    err(
      problem(
        'TOKEN_UNSUPPORTED_VERSION',
        `The ${named} has version ${found}; this store reads version ${TOKEN_VERSION}.`,
      ),
    );

  if (token.length > MAX_TOKEN_LENGTH) return malformed(`is longer than ${MAX_TOKEN_LENGTH} characters`);
  const [prefix, version, payloadText, signatureText, ...rest] = token.split('.');
  const meant = kindOf(prefix);
  if (meant === null) return malformed('does not begin with "st.", "ack." or "chk."');
  const number = VERSION.exec(version ?? '')?.groups?.number;
  if (number === undefined || payloadText === undefined || signatureText === undefined || rest.length > 0) {
    return malformed('is not of four parts: prefix, version, payload, signature');
  }
  if (number !== String(TOKEN_VERSION)) return otherVersion(number);

  const bytes = fromBase64Url(payloadText);
  const value = bytes && jsonOf(bytes);
  if (!bytes || typeof value !== 'object' || value === null)
    return malformed('has a payload that cannot be read');
  const inner = 'tokenVersion' in value ? value.tokenVersion : undefined;
  if (typeof inner === 'number' && inner !== TOKEN_VERSION) return otherVersion(String(inner));

  const payload = TokenPayload.safeParse(value);
  if (!payload.success) return malformed('does not have exactly the fields of its kind');
  if (payload.data.tokenKind !== meant) {
    return malformed(
      `begins like the ${tokenName(meant)} and says it is the ${tokenName(payload.data.tokenKind)}`,
    );
  }
  if (!isOfKind(payload.data, kind)) return malformed(`is the ${tokenName(meant)}`);

  const signature = fromBase64Url(signatureText);
  if (signature?.length !== SIGNATURE_BYTES) return malformed('has a signature that cannot be one');
  if (toBase64Url(bytesOf(payload.data)) !== payloadText) return malformed('is not in canonical form');
  if (!signer.verify(bytes, signature)) {
    return err(problem('TOKEN_BAD_SIGNATURE', `The ${named} was not signed by this store.`));
  }
  return ok(payload.data);
}

const isOfKind = <K extends TokenKind>(payload: TokenPayload, kind: K): payload is PayloadOf<K> =>
  payload.tokenKind === kind;

function kindOf(prefix: string | undefined): TokenKind | null {
  switch (prefix) {
    case TOKEN_PREFIXES.state:
      return 'state';
    case TOKEN_PREFIXES.ack:
      return 'ack';
    case TOKEN_PREFIXES.checkpoint:
      return 'checkpoint';
    default:
      return null;
  }
}

function bytesOf(payload: TokenPayload): Uint8Array {
  const text = canonicalJson(payload);
  if (text.isErr()) throw new Error(`Bug: a token payload that is not JSON: ${text.error.reason}`);
  return utf8.encode(text.value);
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
