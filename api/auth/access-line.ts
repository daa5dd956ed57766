import { type FastifyRequest } from 'fastify';

/** What the log says of a request that was not let in. It never has a secret in it. */
export interface AccessLine {
  readonly event: 'unauthenticated' | 'forbidden';
  readonly why: string;
  readonly method: string;
  /** Without the query, where people put what they should not. */
  readonly path: string;
  readonly address: string;
  /** The id of the request. */
  readonly request: string;
  /** The name of the caller, or the id of the key that was refused. */
  readonly caller: string | null;
  /** What went wrong on our side. */
  readonly detail?: string;
}

/** The longest path that is logged. */
const MAX_PATH = 300;

/** What was asked for, and from where. */
export function askedBy({
  method,
  url,
  ip,
  id,
}: FastifyRequest): Pick<AccessLine, 'method' | 'path' | 'address' | 'request'> {
  return { method, path: (url.split('?', 1)[0] ?? '').slice(0, MAX_PATH), address: ip, request: id };
}
