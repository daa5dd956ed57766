/** Metrics over HTTP. */
import { setTimeout as pause } from 'node:timers/promises';
import { type FastifyInstance } from 'fastify';
import { type Census } from './census';
import { type Metrics } from './metrics';

/** A scraper waits ten seconds; a census that takes longer is shown by the next scrape. */
const COUNT_MS = 5_000;

export function metricsRoutes(server: FastifyInstance, metrics: Metrics, census: Census): void {
  server.get('/metrics', async (_request, reply) => {
    const over = new AbortController();
    const late = pause(COUNT_MS, null, { signal: over.signal }).catch(() => null);
    const counted = await Promise.race([census.take(), late]);
    over.abort();
    if (counted) metrics.runsCounted(counted);
    return reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.text());
  });
}
