/** Who is calling. For now one key opens everything: the local key of the data directory. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';

/** Check the key a request carries. */
export function authenticate(request: FastifyRequest, key: string): Result<void, RailyardError> {
  const [scheme = '', given = ''] = (request.headers.authorization ?? '').split(' ', 2);
  if (scheme.toLowerCase() !== 'bearer' || given === '') {
    return err(problem('UNAUTHENTICATED', 'This request carries no key.'));
  }
  // Hashes have one length, so the comparison takes the same time for every wrong key.
  const [a, b] = [given, key].map((text) => createHash('sha256').update(text).digest());
  const same = a !== undefined && b !== undefined && timingSafeEqual(a, b);
  return same ? ok() : err(problem('UNAUTHENTICATED', 'The key is wrong.'));
}
