import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../canonical';
import { type Home } from './home';

/** Sign a JSON value as this store: what a signal carries, so that only the store's own API can decide by signal. */
export function sign(home: Home, value: unknown): string {
  const text = canonicalJson(value);
  if (text.isErr()) throw new Error(`Bug: signing what is not JSON: ${text.error.reason}`);
  return createHmac('sha256', `railyard signal ${home.key}`).update(text.value).digest('base64url');
}

/** Was this value signed by this store? */
export function isSignedBy(home: Home, value: unknown, signature: unknown): boolean {
  // It may come from anybody, and have any shape.
  if (typeof signature !== 'string' || canonicalJson(value).isErr()) return false;
  const [expected, given] = [Buffer.from(sign(home, value)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
