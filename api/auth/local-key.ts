/** The generated key of the data directory. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ok } from 'neverthrow';
import { LOCAL_NAME } from '../../src/home';
import { type CallerSource, type Principal } from './principal';

const LOCAL: Principal = { kind: 'local', name: LOCAL_NAME, roles: [] };

/** Whoever holds the local key. */
export function localKey(key: string): CallerSource {
  const expected = sha256(key);
  // Hashes have one length, so the comparison takes the same time for every wrong key.
  return (credential) => (timingSafeEqual(sha256(credential), expected) ? Promise.resolve(ok(LOCAL)) : null);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
