/** Live events over HTTP (server-sent events). */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readRun } from '../../src/home';
import { refuse } from '../answers';
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
  readonly heartbeatMs?: number;
}

/** HEAD of a stream that does not end would not end either. */
const STREAM = { exposeHeadRoute: false };

export function eventRoutes(
  api: FastifyInstance,
  runs: FactoryRuns,
  roll: RunRoll,
  { log, heartbeatMs = HEARTBEAT_MS }: EventOptions,
): void {
  const hub = new Hub(runs, roll, (error) =>
    log(`Events ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  );
  api.addHook('preClose', (done) => {
    hub.close();
    done();
  });
  const stream = async (request: FastifyRequest, reply: FastifyReply, feed: Feed): Promise<FastifyReply> => {
    const last = request.headers['last-event-id'];
    const client = new EventStream(heartbeatMs);
    const joined = await feed.join(client, typeof last === 'string' && last !== '' ? last : null);
    if (joined.isErr() || !joined.value) client.destroy();
    if (joined.isErr()) return refuse(reply, joined.error);
    // To a browser this says: do not come back.
    if (!joined.value) return reply.code(204).send();
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Some proxies would hold back a stream until they have enough of it.
        'x-accel-buffering': 'no',
      })
      .send(client);
  };

  api.get<RunParams>('/factory-run/:run/events', STREAM, async (request, reply) => {
    const known = readRun(runs.home, request.params.run);
    return known.isErr() ? refuse(reply, known.error) : stream(request, reply, hub.ofRun(known.value.run));
  });
  api.get('/events', STREAM, async (request, reply) => stream(request, reply, hub.ofAll()));
}
