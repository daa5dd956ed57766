/** Every answered request, for the log and the metrics. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type FastifyInstance } from 'fastify';
import { type LogFields, type LogLevel } from '../src/log';
import { type Metrics } from './metrics';

/** Takes a line about a request. */
export type RequestLog = (level: LogLevel, fields: LogFields) => void;

const REQUEST_ID = /^[\w.:-]{1,100}$/;

/** The id of a request: the one that it comes with, else one of ours. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Watch all requests. Their paths are logged as they are registered, and nothing of their queries, headers and bodies. */
export function watchRequests(server: FastifyInstance, metrics: Metrics, log: RequestLog): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { method, params } = request;
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const status = reply.statusCode;
    const type = reply.getHeader('content-type');
    // A stream lasts as long as somebody listens, which says nothing about the service.
    if (typeof type !== 'string' || !type.startsWith('text/event-stream')) {
      metrics.requestAnswered({ method, route, status, seconds: reply.elapsedTime / 1_000 });
    }
    const principal = request.principal?.name ?? null;
    log(levelOf(method, status), {
      ...{ request: request.id, method, route, status, ms: Math.round(reply.elapsedTime), principal },
      ...about(params),
    });
    done();
  });
}

/** Reading is routine; what changes something is worth a line, and what failed a warning. */
function levelOf(method: string, status: number): LogLevel {
  if (status >= 500) return 'warn';
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'debug' : 'info';
}

/** The run and the block that a path names. */
function about(params: unknown): LogFields {
  if (typeof params !== 'object' || params === null) return {};
  return {
    ...('run' in params ? { run: params.run } : {}),
    ...('block' in params ? { block: params.block } : {}),
  };
}
