import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type Keyring, type KeyringStore, type TokenSigner } from '../ports';

/** HMAC-SHA256 with the keys of a keyring: signs with the current one, accepts the current one, then the previous. */
export function keyringSigner({ current, previous }: Keyring): TokenSigner {
  return {
    sign: (payload) => hmac(current, payload),
    verify: (payload, signature) =>
      isEqual(hmac(current, payload), signature) ||
      (previous !== null && isEqual(hmac(previous, payload), signature)),
  };
}

/** A signer with the keys as they are now. Take one for each call, so that a rotation by another process counts at once. */
export const currentSigner = async (keyring: KeyringStore): Promise<Result<TokenSigner, RailyardError>> =>
  (await keyring.read()).map(keyringSigner);

const hmac = (key: Uint8Array, payload: Uint8Array): Uint8Array =>
  createHmac('sha256', key).update(payload).digest();

const isEqual = (expected: Uint8Array, given: Uint8Array): boolean =>
  expected.length === given.length && timingSafeEqual(expected, given);
