/** The service with real keys over real HTTP, and no Temporal behind it: whoever is let in finds no run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { type FastifyInstance } from 'fastify';
import { type AccessLine, type CallerSource, type Limits, storedKeys } from '../../api/auth';
import { FactoryRuns } from '../../api/factory-runs';
import { buildServer } from '../../api/server';
import { closeClient } from '../../api/temporal-calls';
import { type RailyardError } from '../../src/errors';
import { createKey, openHome, type Home } from '../../src/home';
import { openLedgerOf } from '../../activities/open-ledger';

/** So generous that no test meets it by accident. */
const NO_LIMITS: Limits = {
  principal: { perSecond: 1e6, burst: 1e6 },
  stranger: { perSecond: 1e6, burst: 1e6 },
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface SceneOptions {
  readonly callers?: readonly CallerSource[];
  readonly limits?: Limits;
}

export class Scene {
  private constructor(
    readonly home: Home,
    readonly server: FastifyInstance,
    readonly url: string,
    readonly runs: FactoryRuns,
    readonly faults: string[],
    readonly audited: AccessLine[],
  ) {}

  static async open({ callers = [], limits = NO_LIMITS }: SceneOptions = {}): Promise<Scene> {
    const home = (await openHome(await mkdtemp(join(tmpdir(), 'railyard-auth-'))))._unsafeUnwrap();
    // Nobody listens there, and nothing here gets so far as to call.
    const connection = Connection.lazy({ address: '127.0.0.1:1' });
    const client = new Client({ connection });
    const { ledger } = (await openLedgerOf(home))._unsafeUnwrap();
    const runs = new FactoryRuns({ home, client, ledger, taskQueue: 'none', skillDirs: [] });
    const [faults, audited]: [string[], AccessLine[]] = [[], []];
    const server = buildServer({
      key: home.key,
      runs,
      log: (line) => faults.push(line),
      callers: [storedKeys(home), ...callers],
      audit: (line) => audited.push(line),
      limits,
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    return new Scene(home, server, url, runs, faults, audited);
  }

  async close(): Promise<void> {
    await this.server.close();
    await closeClient(this.runs.client);
    await rm(this.home.root, { recursive: true, force: true });
  }

  async key(name: string, ...roles: string[]): Promise<string> {
    return (await createKey(this.home, { name, roles, expires: null })).key;
  }

  /** Call with a credential, or with none. */
  async call(method: string, path: string, credential: string | null, body?: unknown): Promise<Answer> {
    const stop = new AbortController();
    const response = await fetch(`${this.url}${path}`, {
      method,
      signal: stop.signal,
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isJson = (response.headers.get('content-type') ?? '').includes('json') && method !== 'HEAD';
    const answer = { status: response.status, headers: response.headers, body: null as unknown };
    if (isJson) answer.body = await response.json();
    // A stream of events has no end.
    else stop.abort();
    return answer;
  }
}

/** The code of a refusal; null where it is none. */
export function codeOf({ body }: Answer): string | null {
  return typeof body === 'object' && body !== null && 'code' in body ? (body as RailyardError).code : null;
}
