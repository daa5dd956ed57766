/**
 * The one door of the HTTP service. Before anything else is looked at, a request is told who sent it (UNAUTHENTICATED),
 * whether they come too often (RATE_LIMITED) and whether the route is for them (FORBIDDEN). That a path does not exist is
 * said only to those who are known.
 */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type RailyardError } from '../../src/errors';
import { refuse } from '../answers';
import { accessOf, type Access } from './access';
import { askedBy, type AccessLine } from './access-line';
import { identify } from './identify';
import { localKey } from './local-key';
import { mayDo, refusal, type CallerSource, type Principal, type Refusal } from './principal';
import { RateLimit, type Rate } from './rate-limit';
import { notFor, notKnown, tooOften } from './refusals';
import { SECURITY_HEADERS } from './security-headers';
import { signed } from './signature';

/** How often who may come. */
export interface Limits {
  readonly principal: Rate;
  /** Requests to what is open to anyone, and those without a good key; each by address. */
  readonly stranger: Rate;
}

export interface GuardOptions {
  /** The local key. */
  readonly key: string;
  /** Other ways to tell who calls. */
  readonly callers?: readonly CallerSource[];
  /** Gets a line for each request that is not let in. */
  readonly audit?: (line: AccessLine) => void;
  readonly limits?: Limits;
  /** Routes, as "GET /metrics", that are open to anyone here whatever the table says. */
  readonly open?: readonly string[];
  /** How often the caller of an answer that goes on, such as a stream of events, is looked at again. */
  readonly recheckMs?: number;
}

const RECHECK_MS = 15_000;

const LIMITS: Limits = {
  principal: { perSecond: 100, burst: 200 },
  stranger: { perSecond: 5, burst: 50 },
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it; null where the route is for anyone. */
    principal: Principal | null;
  }
  interface FastifyInstance {
    /** Every route that has been registered, as "METHOD /path". */
    readonly routeNames: ReadonlySet<string>;
    /** Count and log a request whose signature proves nothing; RATE_LIMITED where its address had too many of them. */
    readonly noteUnproven: (request: FastifyRequest, why: string) => RailyardError | null;
  }
}

/** Set the door into a server, before its routes. */
export function guard(server: FastifyInstance, options: GuardOptions): void {
  const { audit = () => undefined, limits = LIMITS, recheckMs = RECHECK_MS, open = [] } = options;
  const sources = [localKey(options.key), ...(options.callers ?? [])];
  const strangers = new RateLimit(limits.stranger);
  const principals = new RateLimit(limits.principal);

  const auditUnknown = (request: FastifyRequest, { why, id, detail }: Refusal): void =>
    audit({
      event: 'unauthenticated',
      why,
      ...askedBy(request),
      caller: id,
      ...(detail === null ? {} : { detail }),
    });

  /** Asked first, so that nobody can fill the log. */
  const noteUnknown = (request: FastifyRequest, refused: Refusal): RailyardError | null => {
    const often = tooOften(strangers, `refused ${request.ip}`);
    if (!often) auditUnknown(request, refused);
    return often;
  };

  const admit = async (request: FastifyRequest): Promise<RailyardError | null> => {
    const access = accessTo(request, open);
    if (access?.need === 'anyone') return tooOften(strangers, `open ${request.ip}`);
    if (access?.need === 'signed') return tooOften(principals, `signed ${request.ip}`);
    const known = await identify(request.headers.authorization, sources);
    if (known.isErr()) return noteUnknown(request, known.error) ?? notKnown(known.error);
    const principal = known.value;
    request.principal = principal;
    // Whoever holds the local key could as well stop the service; a limit would only be in their way.
    const often =
      principal.kind === 'local' ? null : tooOften(principals, `${principal.kind} ${principal.name}`);
    if (often) return often;
    return access === null || mayDo(principal, access.need) ? null : notFor(principal, access.need);
  };

  const turnAway = (request: FastifyRequest, reply: FastifyReply, error: RailyardError): FastifyReply => {
    if (error.code === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer');
    if (error.code === 'FORBIDDEN') {
      const caller = request.principal?.name ?? null;
      audit({ event: 'forbidden', why: error.message, ...askedBy(request), caller });
    }
    return refuse(reply, error);
  };

  /** A key that is revoked, or a token that ends, ends the answers that are still going on. */
  const watch = (request: FastifyRequest, reply: FastifyReply): void => {
    const look = async (): Promise<void> => {
      const known = await identify(request.headers.authorization, sources);
      if (known.isOk() || known.error.kind === 'undecided') return;
      auditUnknown(request, known.error);
      reply.raw.destroy();
    };
    // Whoever left while they were being looked at has no 'close' to come any more.
    if (reply.raw.destroyed) return;
    const timer = setInterval(() => void look().catch(() => reply.raw.destroy()), recheckMs).unref();
    reply.raw.once('close', () => clearInterval(timer));
  };

  const routeNames = new Set<string>();
  server.decorate('routeNames', routeNames);
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routeNames.add(`${one} ${url}`);
  });
  server.decorate('noteUnproven', (request: FastifyRequest, why: string) =>
    noteUnknown(request, refusal(why)),
  );
  server.decorateRequest('principal', null);
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    const error = await admit(request);
    if (error) await turnAway(request, reply, error);
    else if (request.principal && request.principal.kind !== 'local') watch(request, reply);
  });
  // Here the body has been read, and no route has looked at it.
  server.addHook('preValidation', async (request, reply) => {
    const access = accessTo(request, open);
    if (!request.principal || !access) return;
    const body = signed(request.principal, access.signature, request.body);
    if (body.isErr()) await turnAway(request, reply, body.error);
    else request.body = body.value;
  });
}

/** What the route of a request asks for; null where it has none. */
function accessTo({ method, routeOptions }: FastifyRequest, open: readonly string[]): Access | null {
  return routeOptions.url === undefined ? null : accessOf(method, routeOptions.url, open);
}
