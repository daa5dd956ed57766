/** The tools over streamable HTTP at `/mcp`, for callers with the role `agent`. */
import {
  isInitializeRequest,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { refuse } from '../answers';
import { HttpSessions } from './http-sessions';
import { type McpOptions } from './mcp-server';

export interface McpRouteOptions {
  /** What the tools stand on; asked for when the first client comes. */
  readonly tools: () => Promise<Result<McpOptions, RailyardError>>;
  /** Other origins whose pages may call. */
  readonly origins: readonly string[];
}

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

export function mcpRoutes(server: FastifyInstance, { tools, origins }: McpRouteOptions): void {
  const sessions = new HttpSessions();
  server.addHook('preClose', async () => sessions.close());

  server.post('/mcp', async (request, reply) => {
    const fault = headerFault(request, origins) ?? bodyFault(request.body);
    if (fault) return refuse(reply, fault);
    if (sessions.closed) return refuse(reply, problem('SERVICE_AWAY', 'The service stops.'));
    const session = await sessionFor(request, sessions, tools);
    if (session.isErr()) return refuse(reply, session.error);
    const { transport } = session.value;
    const answer = await transport.handleRequest(webRequest(request), { parsedBody: request.body });
    return passOn(reply, answer);
  });

  server.delete('/mcp', async (request, reply) => {
    const fault = headerFault(request, origins, false);
    if (fault) return refuse(reply, fault);
    const session = known(request, sessions);
    if (session.isErr()) return refuse(reply, session.error);
    return passOn(reply, await session.value.transport.handleRequest(webRequest(request)));
  });
}

type Session = Awaited<ReturnType<HttpSessions['open']>>;

/** The session of a request; one that begins gets a new one. */
async function sessionFor(
  request: FastifyRequest,
  sessions: HttpSessions,
  tools: McpRouteOptions['tools'],
): Promise<Result<Session, RailyardError>> {
  if (!begins(request.body)) return known(request, sessions);
  const options = await tools();
  return options.isErr() ? err(options.error) : ok(await sessions.open(ownerOf(request), options.value));
}

function known(request: FastifyRequest, sessions: HttpSessions): Result<Session, RailyardError> {
  const id = headerOf(request, 'mcp-session-id');
  if (id === '') {
    const more = { suggestion: 'Send initialize first, and its Mcp-Session-Id with every other request.' };
    return err(problem('INPUT_INVALID', 'The request names no session (Mcp-Session-Id).', more));
  }
  const session = sessions.find(id, ownerOf(request));
  return session
    ? ok(session)
    : err(problem('MCP_SESSION_NOT_FOUND', 'There is no such session of the transport (any more).'));
}

/** Whose session it is: ids of sessions are no secret among callers. */
function ownerOf({ principal }: FastifyRequest): string {
  return principal ? `${principal.kind} ${principal.name}` : '';
}

/** What the transport would refuse in words of its own. */
function headerFault(
  request: FastifyRequest,
  origins: readonly string[],
  streams = true,
): RailyardError | null {
  const { origin, host } = request.headers;
  // A page in a browser that was led here by a name that changed its address still says where it is from.
  if (origin !== undefined && !origins.includes(origin) && !isOwn(origin, host)) {
    return problem('FORBIDDEN', 'Pages of this origin may not call.', {
      suggestion: 'Name the origin in the setting http.cors_origins.',
    });
  }
  const accept = headerOf(request, 'accept');
  if (streams && !(accept.includes(JSON_TYPE) && accept.includes(EVENTS))) {
    return problem('INPUT_INVALID', 'The request does not accept both kinds of answer.', {
      suggestion: `Send "Accept: ${JSON_TYPE}, ${EVENTS}".`,
    });
  }
  const version = headerOf(request, 'mcp-protocol-version');
  if (version !== '' && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    return problem('INPUT_INVALID', `The protocol version "${version.slice(0, 40)}" is not known here.`, {
      suggestion: `Use one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
    });
  }
  return null;
}

function bodyFault(body: unknown): RailyardError | null {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const isFine =
    messages.length > 0 && messages.every((message) => JSONRPCMessageSchema.safeParse(message).success);
  // Which session would it begin?
  const isMixed = messages.length > 1 && begins(body);
  if (isFine && !isMixed) return null;
  const what = isFine ? 'Another message came with initialize.' : 'The body is no JSON-RPC 2.0 message.';
  return problem('INPUT_INVALID', what, { suggestion: 'Use a client that speaks MCP over streamable HTTP.' });
}

const begins = (body: unknown): boolean =>
  Array.isArray(body) ? body.some(isInitializeRequest) : isInitializeRequest(body);

const isOwn = (origin: string, host: string | undefined): boolean =>
  origin === `http://${host ?? ''}` || origin === `https://${host ?? ''}`;

const headerOf = ({ headers }: FastifyRequest, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** The request as the transport reads it; the body has been read already. */
function webRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  // The transport looks at method and headers; where it was sent says nothing more.
  return new Request('http://railyard/mcp', { method: request.method, headers });
}

/** The transport's answer as ours: a stream of events, or none. */
async function passOn(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  return reply.send(answer);
}
