/** How a use case's result becomes an HTTP answer. */
import { type FastifyReply } from 'fastify';
import { type Result } from 'neverthrow';
import { httpStatus, type RailyardError } from '../src/errors';
import { type Fired } from './factory-runs';

/** Answer with a use case's result. */
export function send<T>(reply: FastifyReply, result: Result<T, RailyardError>, status = 200): FastifyReply {
  return result.isOk() ? reply.code(status).send(result.value) : refuse(reply, result.error);
}

/** Answer with what happened to a trigger or an event: 202 where it is kept for a worker that is not there. */
export function sendFired(reply: FastifyReply, fired: Result<Fired, RailyardError>): FastifyReply {
  return send(reply, fired, fired.isOk() && fired.value.kind === 'stored' ? 202 : 200);
}

/** Answer with an error envelope and the status that fits its code. */
export function refuse(reply: FastifyReply, error: RailyardError): FastifyReply {
  if (error.retry.kind === 'retryable_after_ms') {
    void reply.header('retry-after', Math.ceil(error.retry.afterMs / 1000));
  }
  return reply.code(httpStatus(error)).send(error);
}
