/** An MCP server over the use cases: the six tools and nothing else, whatever the transport. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Protocol } from '../../src/workrail/protocol';
import { askerOf } from './ask-person';
import { callTool, type FaultLog } from './call-tool';
import { INSTRUCTIONS } from './instructions';
import { TOOL_LIST } from './tool-list';

export interface McpOptions {
  readonly protocol: Protocol;
  /** Of Railyard. */
  readonly version: string;
  readonly log: FaultLog;
  /** Gets a line for each message that cannot be read or sent: what the client, or the way to it, does wrong. */
  readonly onTrouble?: FaultLog;
}

/** A server for one client. */
export interface Served {
  readonly server: McpServer['server'];
  /** Take back questions to the person, and wait until every call is answered, at most for a while. */
  finish(): Promise<void>;
}

/** A call takes milliseconds, unless it waits for a person or for a disk that is very busy. */
const GRACE_MS = 5_000;

/** Make a server for one client; the caller connects it to a transport. */
export function mcpServer({ protocol, version, log, onTrouble }: McpOptions): Served {
  // The class alone wraps refusals in texts of its own and reads schemas in its own way; what it stands on does not.
  const { server } = new McpServer(
    { name: 'railyard', title: 'Railyard', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const calls = new Set<Promise<unknown>>();
  const ending = new AbortController();
  server.onerror = (error) => onTrouble?.('A message was lost', error);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...TOOL_LIST] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args } = params;
    const signal = AbortSignal.any([extra.signal, ending.signal]);
    const asker = askerOf(server, { requestId: extra.requestId, signal });
    const call = callTool(protocol, { name, args }, asker, log);
    calls.add(call);
    return call.finally(() => calls.delete(call));
  });
  const answered = async (): Promise<void> => {
    while (calls.size > 0) await Promise.allSettled(calls);
  };
  return {
    server,
    finish: async () => {
      ending.abort();
      await Promise.race([answered(), grace()]);
      // The answer of a call that has just ended is sent in the same turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const grace = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref());
