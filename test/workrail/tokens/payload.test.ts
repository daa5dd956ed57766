import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../../src/canonical';
import {
  decodeToken,
  encodeToken,
  fromBase64Url,
  TOKEN_PREFIXES,
  toBase64Url,
  type TokenPayload,
} from '../../../src/workrail/tokens';
import { ack, checkpoint, signer, state } from './tokens';

/** What a token's text says, read without our decoder. */
function saidBy(token: string): unknown {
  const [, , payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(fromBase64Url(payload) ?? []).toString('utf8'));
}

/** A token of some kind with any payload, rightly signed. */
function signed(kind: TokenPayload['tokenKind'], payload: object): string {
  const bytes = new TextEncoder().encode(canonicalJson(payload)._unsafeUnwrap());
  return `${TOKEN_PREFIXES[kind]}.v1.${toBase64Url(bytes)}.${toBase64Url(signer.sign(bytes))}`;
}

/** The fields without which, and besides which, no token of this payload's kind is read. */
function keepsTo(payload: TokenPayload): void {
  const { tokenKind } = payload;
  const read = (said: object): boolean => decodeToken(tokenKind, signed(tokenKind, said), signer).isOk();
  expect(read(payload)).toBe(true);
  for (const field of Object.keys(payload)) {
    const less = Object.fromEntries(Object.entries(payload).filter(([name]) => name !== field));
    expect([field, read(less)]).toEqual([field, false]);
    expect([field, read({ ...payload, [field]: null })]).toEqual([field, false]);
  }
  for (const more of [{ expiresAt: 1 }, { attemptId: 'attempt_a' }, { workflowHash: state.workflowHash }]) {
    const [name = ''] = Object.keys(more);
    if (!(name in payload)) expect([name, read({ ...payload, ...more })]).toEqual([name, false]);
  }
}

describe('the fields of a token', () => {
  it('[state-token-payload-fields] are, for a state token, these six and no other', () => {
    expect(saidBy(encodeToken(state, signer))).toEqual({
      tokenVersion: 1,
      tokenKind: 'state',
      sessionId: 'sess_a',
      runId: 'run_a',
      nodeId: 'node_a',
      workflowHash: `sha256:${'a'.repeat(64)}`,
    });
    keepsTo(state);
  });

  it('[ack-token-payload-fields] are, for an ack token, these six and no other', () => {
    expect(saidBy(encodeToken(ack, signer))).toEqual({
      tokenVersion: 1,
      tokenKind: 'ack',
      sessionId: 'sess_a',
      runId: 'run_a',
      nodeId: 'node_a',
      attemptId: 'attempt_a',
    });
    keepsTo(ack);
  });

  it('[checkpoint-token-payload-fields] are, for a checkpoint token, these six and no other', () => {
    expect(saidBy(encodeToken(checkpoint, signer))).toEqual({
      tokenVersion: 1,
      tokenKind: 'checkpoint',
      sessionId: 'sess_a',
      runId: 'run_a',
      nodeId: 'node_a',
      attemptId: 'attempt_a',
    });
    keepsTo(checkpoint);
  });
});
