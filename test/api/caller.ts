/** A yard behind its HTTP server, and the calls a client makes. */
import { type FastifyInstance } from 'fastify';
import { Metrics } from '../../api/metrics';
import { buildServer } from '../../api/server';
import { Yard } from '../yard/yard';

/** What came back. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export class Caller {
  private constructor(
    readonly yard: Yard,
    readonly server: FastifyInstance,
    /** The root of the service. */
    readonly root: string,
    /** What the service logged as its own fault. */
    readonly faults: readonly string[],
  ) {}

  static async open(options: Parameters<typeof Yard.open>[0] = {}): Promise<Caller> {
    const metrics = new Metrics();
    const yard = await Yard.open({ onAttempt: metrics.attemptEnded, ...options });
    const faults: string[] = [];
    const server = buildServer({
      ...{ key: yard.home.key, runs: yard.runs, metrics },
      log: (line) => faults.push(line),
    });
    const root = await server.listen({ host: '127.0.0.1', port: 0 });
    return new Caller(yard, server, root, faults);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.yard.close();
  }

  /** A request with the local key to a path below /api/a360. */
  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.root}/api/a360${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.yard.home.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** The same, with the body read as JSON. */
  async call<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await this.fetch(method, path, body, headers);
    // The test says what it expects there, and looks.
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }
}
