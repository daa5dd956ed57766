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

/** Serve one client, until it goes away or we are told to stop; calls under way are finished before. */
export async function serveStdio({ input, output, stop, ...options }: StdioOptions): Promise<void> {
  const client = mcpServer(options);
  const { server } = client;
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
  await client.finish();
  await server.close();
}
