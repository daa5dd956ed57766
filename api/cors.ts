/**
 * Pages of other origins that may call the service from a browser (CORS). Without a list there is nothing of it, and
 * browsers keep such pages out. Keys travel in a header and never as cookies, so no credentials are allowed.
 */
import { type FastifyInstance } from 'fastify';

const EXPOSED = 'Allow, Content-Range, ETag, Retry-After, WWW-Authenticate, X-Request-Id';
const ASKED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, Range';
const KEPT_SECONDS = '600';

/** Let pages of these origins in. Before the guard: a browser asks without a key whether it may ask. */
export function cors(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', async (request, reply) => {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    void reply.header('vary', 'Origin');
    if (origin === undefined || !origins.includes(origin)) return;
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    });
    if (request.method !== 'OPTIONS' || wanted === undefined) return;
    await reply
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': ASKED,
        'access-control-max-age': KEPT_SECONDS,
      })
      .code(204)
      .send();
  });
}
