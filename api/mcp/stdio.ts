/** The tools over standard input and output. Standard output carries the protocol and nothing else. */
import { type Readable, type Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcpServer, type McpOptions } from './mcp-server';

export interface StdioOptions extends McpOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted: finish what is under way, and end. */
  readonly stop: AbortSignal;
}

/** A call takes milliseconds, unless it waits for a person. */
const GRACE_MS = 5_000;

/** Serve one client, until it goes away or we are told to stop; calls under way are finished before. */
export async function serveStdio({ input, output, stop, ...options }: StdioOptions): Promise<void> {
  const { server, idle } = mcpServer(options);
  const gone = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, resolve);
    // Who reads no more is gone too. Each further write to them fails as well.
    output.on('error', () => resolve());
    server.onclose = resolve;
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(input, output));
  await gone;
  await Promise.race([idle(), grace()]);
  // A call that has just ended is answered in the same turn.
  await new Promise((resolve) => setImmediate(resolve));
  await server.close();
}

const grace = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref());
