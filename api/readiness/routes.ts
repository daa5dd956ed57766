/** Health over HTTP: is the process there, and can it do its work? */
import { type FastifyInstance } from 'fastify';
import { problem, type RailyardError } from '../../src/errors';
import { refuse } from '../answers';
import { type Missing, type Readiness } from './readiness';

export function healthRoutes(server: FastifyInstance, readiness: Readiness): void {
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const missing = await readiness.missing();
    void reply.header('cache-control', 'no-store');
    return missing.length === 0 ? reply.send({ status: 'ready' }) : refuse(reply, notReady(missing));
  });
}

function notReady(missing: readonly Missing[]): RailyardError {
  const parts = missing.map(({ part, why }) => `${part} (${why})`);
  return problem('NOT_READY', `Missing: ${parts.join(', ')}.`, { details: { missing } });
}
