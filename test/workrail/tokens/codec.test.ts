import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/canonical';
import { keyringSigner } from '../../../src/workrail/local';
import {
  decodeToken,
  encodeToken,
  fromBase64Url,
  idempotencyKey,
  TOKEN_PREFIXES,
  toBase64Url,
  type TokenPayload,
} from '../../../src/workrail/tokens';
import { ack, checkpoint, key, payloads, signer, state } from './tokens';
import vectors from '../../vectors/tokens.json';

const canonical = (value: unknown): string => canonicalJson(value)._unsafeUnwrap();
const codeOf = (token: string, kind: TokenPayload['tokenKind'] = 'state'): string =>
  decodeToken(kind, token, signer).match(
    () => 'ok',
    ({ code }) => code,
  );
/** A token with a payload of any shape, rightly signed. */
const forge = (value: unknown, prefix = 'st', text = canonical(value)): string => {
  const bytes = new TextEncoder().encode(text);
  return `${prefix}.v1.${toBase64Url(bytes)}.${toBase64Url(signer.sign(bytes))}`;
};
const without = (value: object, field: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

describe('base64url', () => {
  it('is what Node makes of the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  it('reads a text only if it is the one text of its bytes', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_+/=-]{0,12}$/), (text) => {
        const bytes = fromBase64Url(text);
        expect(bytes === null || toBase64Url(bytes) === text).toBe(true);
      }),
    );
  });
});

describe('the vectors', () => {
  it.each(vectors.cases)('$id', ({ payload, token, keyHex, canonical: text }) => {
    const known = keyringSigner({ current: Buffer.from(keyHex, 'hex'), previous: null });
    expect(encodeToken(payload as TokenPayload, known)).toBe(token);
    expect(canonical(payload)).toBe(text);
    const read = decodeToken(payload.tokenKind as TokenPayload['tokenKind'], token, known);
    expect(read._unsafeUnwrap()).toEqual(payload);
  });
});

describe('a token', () => {
  it('says exactly what was put into it', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const read = decodeToken(payload.tokenKind, encodeToken(payload, signer), signer);
        expect(read._unsafeUnwrap()).toEqual(payload);
      }),
    );
  });

  it('[ack-replay-idempotent] is the same text for the same payload, however its fields were ordered', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const turned = Object.fromEntries(Object.entries(payload).reverse()) as TokenPayload;
        expect(encodeToken(turned, signer)).toBe(encodeToken(payload, signer));
      }),
    );
  });

  it('is refused with any one bit flipped', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.nat(6), (payload, place, bit) => {
        const token = encodeToken(payload, signer);
        const at = place % token.length;
        const flipped = String.fromCharCode(token.charCodeAt(at) ^ (1 << bit));
        const changed = token.slice(0, at) + flipped + token.slice(at + 1);
        expect(decodeToken(payload.tokenKind, changed, signer).isErr()).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused, and nothing is thrown, whatever text comes', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('', 'st.v1.', 'ack.v1.e30.', 'st.v1.e30.e30'),
        (text, start) => {
          expect(decodeToken('state', start + text, signer).isErr()).toBe(true);
        },
      ),
    );
  });

  it('[token-signing-hmac-sha256] [token-signature-input-canonical-only] is signed over the payload bytes alone', () => {
    const [, , payload = '', signature] = encodeToken(state, signer).split('.');
    const expected = createHmac('sha256', key(7)).update(Buffer.from(payload, 'base64url'));
    expect(signature).toBe(expected.digest('base64url'));
    expect(Buffer.from(payload, 'base64url').toString()).toBe(canonical(state));
  });

  it.each([
    [
      'state-token-payload-fields',
      state,
      ['nodeId', 'runId', 'sessionId', 'tokenKind', 'tokenVersion', 'workflowHash'],
    ],
    [
      'ack-token-payload-fields',
      ack,
      ['attemptId', 'nodeId', 'runId', 'sessionId', 'tokenKind', 'tokenVersion'],
    ],
    [
      'checkpoint-token-payload-fields',
      checkpoint,
      ['attemptId', 'nodeId', 'runId', 'sessionId', 'tokenKind', 'tokenVersion'],
    ],
  ])('[%s] has these fields, and neither fewer nor more', (_, payload: TokenPayload, fields) => {
    expect(Object.keys(payload).sort()).toEqual(fields);
    const prefix = TOKEN_PREFIXES[payload.tokenKind];
    expect(codeOf(forge({ ...payload, more: 1 }, prefix), payload.tokenKind)).toBe('TOKEN_INVALID_FORMAT');
    const codes = fields.map((field) => codeOf(forge(without(payload, field), prefix), payload.tokenKind));
    expect(new Set(codes)).toEqual(new Set(['TOKEN_INVALID_FORMAT']));
  });

  it('[token-prefix-closed-set] begins with st, ack or chk', () => {
    expect(TOKEN_PREFIXES).toEqual({ state: 'st', ack: 'ack', checkpoint: 'chk' });
    expect(codeOf(forge(state, 'state'))).toBe('TOKEN_INVALID_FORMAT');
  });

  it('[token-kind-closed-set] is of kind state, ack or checkpoint', () => {
    expect(codeOf(forge({ ...state, tokenKind: 'resume' }))).toBe('TOKEN_INVALID_FORMAT');
  });

  it('[token-prefix-kind-match] is refused where prefix and payload name two kinds, rightly signed or not', () => {
    expect(codeOf(forge(ack, 'st'))).toBe('TOKEN_INVALID_FORMAT');
    expect(codeOf(forge(checkpoint, 'ack'), 'ack')).toBe('TOKEN_INVALID_FORMAT');
  });

  it('is refused where another kind is asked for, and says which it is', () => {
    const refused = decodeToken('state', encodeToken(ack, signer), signer)._unsafeUnwrapErr();
    expect(refused).toMatchObject({
      code: 'TOKEN_INVALID_FORMAT',
      message: 'The stateToken is the ackToken.',
    });
  });

  it('is refused in any other form than the canonical one, though it says the same', () => {
    expect(codeOf(forge(state, 'st', JSON.stringify(state, null, 1)))).toBe('TOKEN_INVALID_FORMAT');
  });

  it.each([
    ['outside', encodeToken(state, signer).replace('.v1.', '.v2.')],
    ['inside', forge({ ...state, tokenVersion: 2 })],
  ])('of a version to come is TOKEN_UNSUPPORTED_VERSION (%s)', (_, token) => {
    expect(codeOf(token)).toBe('TOKEN_UNSUPPORTED_VERSION');
  });

  it('of a stranger is TOKEN_BAD_SIGNATURE', () => {
    const stranger = keyringSigner({ current: key(8), previous: null });
    expect(codeOf(encodeToken(state, stranger))).toBe('TOKEN_BAD_SIGNATURE');
  });

  it('[ack-idempotency-key] is the same attempt by session, run, node and attempt', () => {
    fc.assert(
      fc.property(payloads, payloads, (one, two) => {
        if (one.tokenKind === 'state' || two.tokenKind === 'state') return;
        const place = ({ sessionId, runId, nodeId, attemptId }: typeof one) => [
          sessionId,
          runId,
          nodeId,
          attemptId,
        ];
        const same = canonical(place(one)) === canonical(place(two));
        expect(idempotencyKey(one) === idempotencyKey(two)).toBe(same);
        expect(idempotencyKey({ ...one })).toBe(idempotencyKey(one));
      }),
    );
  });
});
