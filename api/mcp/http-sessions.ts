/**
 * Clients over HTTP. Nothing of a workflow is kept in a session of the transport: it knows what its client can do (whether
 * a person can be asked) and carries a question's answer back to the call that asked it. One that is gone, be it by a
 * restart of the service, costs a client its next `initialize` and nothing more.
 */
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { mcpServer, type McpOptions, type Served } from './mcp-server';

interface Session {
  readonly id: string;
  readonly owner: string;
  readonly client: Served;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** More clients than this at once are not kept: the one that was quiet longest goes. */
const MAX_SESSIONS = 1_000;

export class HttpSessions {
  /** The one that was quiet longest first. */
  private readonly sessions = new Map<string, Session>();
  private closing = false;

  /** Is the service still taking clients? */
  get closed(): boolean {
    return this.closing;
  }

  /** A session for a client that begins. */
  async open(owner: string, options: McpOptions): Promise<Session> {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        this.sessions.set(id, session);
        this.forget();
      },
      onsessionclosed: () => void this.sessions.delete(id),
    });
    const client = mcpServer(options);
    const session = { id, owner, client, transport };
    await client.server.connect(transport);
    return session;
  }

  /** A session by its id; another caller's is none. */
  find(id: string, owner: string): Session | null {
    const session = this.sessions.get(id);
    if (session?.owner !== owner) return null;
    this.sessions.delete(id);
    this.sessions.set(id, session);
    return session;
  }

  /** End them all, when what is under way has been answered. */
  async close(): Promise<void> {
    this.closing = true;
    const all = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(all.map(({ client }) => client.finish()));
    await Promise.all(all.map(({ transport }) => transport.close()));
  }

  private forget(): void {
    if (this.sessions.size <= MAX_SESSIONS) return;
    for (const oldest of this.sessions.values()) {
      this.sessions.delete(oldest.id);
      void oldest.transport.close();
      return;
    }
  }
}
