/** The `Idempotency-Key` header: a name that a caller gives a request, so that sending it again does nothing anew. */
import { type FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { sha256Hex } from '../src/canonical';
import { problem, type RailyardError } from '../src/errors';

const MAX_LENGTH = 200;

/** The key of a request as an id that is the caller's own: two callers may choose the same key. Null: it has none. */
export function requestId(request: FastifyRequest): Result<string | null, RailyardError> {
  const header = request.headers['idempotency-key'];
  if (header === undefined || header === '') return ok(null);
  if (typeof header !== 'string' || header.length > MAX_LENGTH) {
    return err(problem('INPUT_INVALID', `An Idempotency-Key has at most ${MAX_LENGTH} characters.`));
  }
  const { kind, name } = request.principal ?? { kind: 'local', name: 'local' };
  return ok(sha256Hex(JSON.stringify([kind, name, header])).slice(0, 40));
}
