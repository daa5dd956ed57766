/** Live events over HTTP (server-sent events). */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readRun } from '../../src/home';
import { problem } from '../../src/errors';
import { refuse } from '../answers';
import { type Metrics } from '../metrics';
import { type FactoryRuns } from '../factory-runs';
import { type RunRoll } from '../run-roll';
import { EventStream, HEARTBEAT_MS } from './event-stream';
import { type Feed } from './feed';
import { Hub } from './hub';

interface RunParams {
  readonly Params: { readonly run: string };
}

export interface EventOptions {
  /** Gets one line for each fault of our own. */
  readonly log: (line: string) => void;
  readonly metrics: Metrics;
  readonly heartbeatMs?: number;
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Some proxies would hold back a stream until they have enough of it.
  'x-accel-buffering': 'no',
};

export function eventRoutes(
  api: FastifyInstance,
  runs: FactoryRuns,
  roll: RunRoll,
  { log, metrics, heartbeatMs = HEARTBEAT_MS }: EventOptions,
): void {
  const hub = new Hub(runs, roll, (error) =>
    log(`Events ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  );
  api.addHook('preClose', (done) => {
    hub.close();
    done();
  });
  const stream = async (request: FastifyRequest, reply: FastifyReply, feed: Feed): Promise<FastifyReply> => {
    if (request.method === 'HEAD') return reply.headers(STREAM_HEADERS).send();
    const last = request.headers['last-event-id'];
    const client = new EventStream(heartbeatMs);
    const joined = await feed.join(client, typeof last === 'string' && last !== '' ? last : null);
    if (joined.isErr() || !joined.value) client.destroy();
    if (joined.isErr()) return refuse(reply, joined.error);
    // To a browser this says: do not come back.
    if (!joined.value) return reply.code(204).send();
    metrics.streams.inc();
    client.once('close', () => metrics.streams.dec());
    // The service began to stop while this one came in.
    if (hub.closed) {
      client.destroy();
      return refuse(reply, problem('SERVICE_AWAY', 'The service stops.'));
    }
    return reply.headers(STREAM_HEADERS).send(client);
  };

  api.get<RunParams>('/factory-run/:run/events', async (request, reply) => {
    const known = readRun(runs.home, request.params.run);
    return known.isErr() ? refuse(reply, known.error) : stream(request, reply, hub.ofRun(known.value.run));
  });
  api.get('/events', async (request, reply) => stream(request, reply, hub.ofAll()));
}
