/** An MCP server over the use cases: the six tools and nothing else, whatever the transport. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
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
}

/** A server for one client. */
export interface McpServer {
  readonly server: Server;
  /** Settles when no call is under way. */
  idle(): Promise<void>;
}

/** Make a server for one client; the caller connects it to a transport. */
export function mcpServer({ protocol, version, log }: McpOptions): McpServer {
  // The high-level class of the SDK wraps refusals in texts of its own and reads schemas in its own way.
  const server = new Server(
    { name: 'railyard', title: 'Railyard', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const calls = new Set<Promise<unknown>>();
  server.onerror = (error) => log('The connection to a client failed', error);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...TOOL_LIST] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args } = params;
    const call = callTool(protocol, { name, args }, askerOf(server, extra), log);
    calls.add(call);
    return call.finally(() => calls.delete(call));
  });
  return {
    server,
    idle: async () => {
      while (calls.size > 0) await Promise.allSettled(calls);
    },
  };
}
