/** The HTTP service. Every answer that is not a success is the one error envelope. */
import { type Socket } from 'node:net';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { problem, type RailyardError } from '../src/errors';
import { type Home } from '../src/home';
import { refuse } from './answers';
import { artifactRoutes } from './artifacts';
import { guard, SECURITY_HEADERS, type GuardOptions } from './auth';
import { closeConnectionsWhenClosing } from './closing';
import { cors } from './cors';
import { type FactoryRuns } from './factory-runs';
import { inboxRoutes } from './inbox';
import { keyRoutes } from './keys';
import { type HomeLedger } from '../activities';
import { mcpRoutes, openTools, type McpRouteOptions } from './mcp';
import { Census, Metrics, metricsRoutes } from './metrics';
import { movingRoutes } from './moving';
import { holdAnswers, openApiRoutes } from './openapi';
import { dataIsWritable, healthRoutes, Readiness, temporalAnswers, type Check } from './readiness';
import { requestIdOf, watchRequests, type RequestLog } from './request-watch';
import { gateRoutes } from './routes/gates';
import { runRoutes } from './routes/runs';
import { RunRoll } from './run-roll';
import { scheduleRoutes } from './schedules';
import { eventRoutes } from './sse';
import { templateRoutes } from './templates';
import { refuseUnrouted } from './unrouted';
import { webhookRoutes } from './webhooks';

/** Templates of a thousand blocks are about 2 MB. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const IMPORT_LIMIT_BYTES = 1024 * 1024 * 1024;
/** Ids of runs have at most 120 characters, ids of blocks 100. */
const MAX_PARAM_LENGTH = 200;

export interface ServerOptions extends GuardOptions {
  readonly runs: FactoryRuns;
  /** The store that the runs are in, as this process has opened it; agents' tools open it where it is not given. */
  readonly opened?: HomeLedger;
  /** Gets one line for each fault of our own. */
  readonly log: (line: string) => void;
  /** Gets a line for each request. */
  readonly requests?: RequestLog;
  readonly metrics?: Metrics;
  /** What must be there beside Temporal and the data directory. */
  readonly checks?: readonly Check[];
  readonly bodyLimitBytes?: number;
  /** The longest bundle that may be sent. */
  readonly importLimitBytes?: number;
  /** Other origins whose pages may call. */
  readonly corsOrigins?: readonly string[];
  /** With less free space than this, the disk is full. */
  readonly minFreeBytes?: number;
}

export function buildServer({ runs, log, ...options }: ServerOptions): FastifyInstance {
  const { metrics = new Metrics(), bodyLimitBytes = BODY_LIMIT_BYTES } = options;
  const server = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Those with an answer under way are waited for.
    forceCloseConnections: 'idle',
    // A request that comes while it closes is answered like any other, and not in Fastify's own words.
    return503OnClosing: false,
    clientErrorHandler: refuseSocket,
    // What is refused before there is a route.
    frameworkErrors: (error, _request, reply) => {
      void refuse(reply.headers(SECURITY_HEADERS), pathFault(error));
    },
  });
  // JSON is what every route reads.
  server.removeContentTypeParser('text/plain');
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const known = requestFault(error, request.routeOptions.bodyLimit);
    if (!known) log(`HTTP ${request.id} ${error.stack ?? error.message}`);
    return refuse(reply, known ?? problem('INTERNAL', 'The service failed on this request.'));
  });
  const roll = new RunRoll(runs.home);
  const needs = [temporalAnswers(runs), dataIsWritable(runs.home, options.minFreeBytes ?? 0)];
  watchRequests(server, metrics, options.requests ?? (() => undefined));
  closeConnectionsWhenClosing(server);
  cors(server, options.corsOrigins ?? []);
  guard(server, options);
  refuseUnrouted(server);
  holdAnswers(server, log);
  healthRoutes(server, new Readiness([...needs, ...(options.checks ?? [])]));
  metricsRoutes(server, metrics, new Census(runs, roll));
  openApiRoutes(server);
  mcpRoutes(server, {
    tools: toolsOf(runs.home, log, metrics, options.opened),
    origins: options.corsOrigins ?? [],
  });
  server.register(
    (api, _options, done) => {
      runRoutes(api, runs, roll);
      gateRoutes(api, runs);
      artifactRoutes(api, runs);
      inboxRoutes(api, runs, roll);
      eventRoutes(api, runs, roll, { log, metrics });
      keyRoutes(api, runs.home);
      templateRoutes(api);
      webhookRoutes(api, runs);
      scheduleRoutes(api, runs);
      movingRoutes(api, runs, { limitBytes: options.importLimitBytes ?? IMPORT_LIMIT_BYTES, log });
      done();
    },
    { prefix: '/api/a360' },
  );
  return server;
}

/** The tools of agents, opened when the first agent comes. A service has no project of its callers. */
function toolsOf(
  home: Home,
  log: (line: string) => void,
  metrics: Metrics,
  shared?: HomeLedger,
): McpRouteOptions['tools'] {
  const fault = (message: string, error: unknown): void =>
    log(`MCP ${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  let opened: ReturnType<typeof openTools> | null = null;
  return async () => {
    opened ??= openTools(home, {
      ...{ project: null, log: fault, observer: metrics.store },
      ...(shared ? { opened: shared } : {}),
    });
    const tools = await opened;
    // What was in the way may be gone the next time.
    if (tools.isErr()) opened = null;
    return tools;
  };
}

/** What comes is not HTTP, so there is no reply to answer with. */
function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problem('INPUT_INVALID', `The request is not HTTP: ${error.message}.`));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** What Fastify itself refuses about a path. */
function pathFault({ code, message }: FastifyError): RailyardError {
  return code === 'FST_ERR_MAX_PARAM_LENGTH'
    ? problem('ROUTE_NOT_FOUND', `A part of the path has more than ${MAX_PARAM_LENGTH} characters.`)
    : problem('INPUT_INVALID', `The path cannot be read: ${message}.`);
}

/** What Fastify itself refuses about a request; null: it is our fault. */
function requestFault(error: FastifyError, bodyLimitBytes: number): RailyardError | null {
  switch (error.statusCode) {
    case 413:
      return problem('BODY_TOO_LARGE', `The body has more than ${bodyLimitBytes} bytes.`);
    case 415:
      return problem('UNSUPPORTED_MEDIA_TYPE', 'The body is not sent as JSON.');
    case undefined:
      return null;
    default:
      // The parser refuses such keys, which no schema here has, and says only that it cannot read the body.
      if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
        const suggestion =
          'Send JSON without keys named "__proto__", and with no "prototype" in a "constructor".';
        return problem('INPUT_INVALID', 'The body is not JSON that can be taken.', { suggestion });
      }
      return error.statusCode < 500
        ? problem('INPUT_INVALID', `The request cannot be read: ${error.message}.`)
        : null;
  }
}
