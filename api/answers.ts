/** How a use case's result becomes an HTTP answer. */
import { type FastifyReply } from 'fastify';
import { type Result } from 'neverthrow';
import { httpStatus, type RailyardError } from '../src/errors';

/** Answer with a use case's result. */
export function send<T>(reply: FastifyReply, result: Result<T, RailyardError>, status = 200): FastifyReply {
  return result.isOk() ? reply.code(status).send(result.value) : refuse(reply, result.error);
}

/** Answer with an error envelope and the status that fits its code. */
export function refuse(reply: FastifyReply, error: RailyardError): FastifyReply {
  if (error.retry.kind === 'retryable_after_ms') {
    void reply.header('retry-after', Math.ceil(error.retry.afterMs / 1000));
  }
  return reply.code(httpStatus(error)).send(error);
}
