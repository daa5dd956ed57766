/** One call of a tool: read the input, do the use case, say what came of it. Errors are data here, never thrown. */
import { ErrorCode, McpError, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { err, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import {
  TOOLS,
  type AskPerson,
  type Protocol,
  type ToolName,
  type ToolOutput,
} from '../../src/workrail/protocol';
import { readInput } from './read-input';
import { isToolName } from './tool-list';

/** Gets one line for each fault of our own. */
export type FaultLog = (message: string, error: unknown) => void;

/** Call a tool by its name. That there is none of this name is said as MCP wants it: as an error of the protocol. */
export async function callTool(
  protocol: Protocol,
  { name, args }: { readonly name: string; readonly args: unknown },
  asker: AskPerson,
  log: FaultLog,
): Promise<CallToolResult> {
  if (!isToolName(name)) throw unknownTool(name);
  try {
    return answer(await perform(protocol, name, args, asker));
  } catch (error) {
    log(`The tool ${name} failed`, error);
    return refusal(problem('INTERNAL', `Railyard failed on this call of ${name}.`));
  }
}

async function perform<N extends ToolName>(
  protocol: Protocol,
  name: N,
  args: unknown,
  asker: AskPerson,
): Promise<Result<ToolOutput<N>, RailyardError>> {
  const input = readInput(name, args);
  return input.isErr() ? err(input.error) : protocol[name](input.value, asker);
}

function answer(result: Result<ToolOutput<ToolName>, RailyardError>): CallToolResult {
  if (result.isErr()) return refusal(result.error);
  // As MCP wants it for clients that do not read structured content.
  return {
    content: [{ type: 'text', text: JSON.stringify(result.value) }],
    structuredContent: { ...result.value },
  };
}

/**
 * The envelope goes out as text alone: structured content must be as the tool's output schema says, in an error too, and
 * clients check that.
 */
function refusal(error: RailyardError): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(error) }] };
}

function unknownTool(name: string): McpError {
  const error = problem('VALIDATION_ERROR', `There is no tool "${name.slice(0, 100)}".`, {
    suggestion: `Call one of ${Object.keys(TOOLS).join(', ')}.`,
  });
  return new McpError(ErrorCode.InvalidParams, error.message, error);
}
