import { type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { type AskPerson } from '../../src/workrail/protocol';

/** A person may be away from the desk; a client that gives up earlier says so. */
const PATIENCE_MS = 15 * 60_000;

/** The request that the question belongs to: its answer's stream carries it. */
export interface Asking {
  readonly requestId: RequestId;
  readonly signal: AbortSignal;
}

/**
 * Ask the person at the client, by elicitation. Only a clear yes is one: a question that is dismissed, times out or goes
 * down with the connection was not answered with yes.
 */
export function askerOf(server: McpServer['server'], { requestId, signal }: Asking): AskPerson {
  return async ({ title, text }) => {
    if (!server.getClientCapabilities()?.elicitation?.form) return 'cannot_ask';
    // The SDK listens to the signal of a question for good; one that has been answered is not taken back.
    const question = new AbortController();
    const takeBack = (): void => question.abort();
    signal.addEventListener('abort', takeBack);
    try {
      if (signal.aborted) return 'no';
      const answer = await server.elicitInput(
        {
          message: `${title}\n\n${text}`,
          requestedSchema: {
            type: 'object',
            properties: {
              confirmed: { type: 'boolean', title: 'Confirm', description: 'Yes: go on. No: do not.' },
            },
            required: ['confirmed'],
          },
        },
        { relatedRequestId: requestId, signal: question.signal, timeout: PATIENCE_MS },
      );
      return answer.action === 'accept' && answer.content?.confirmed === true ? 'yes' : 'no';
    } catch {
      return 'no';
    } finally {
      signal.removeEventListener('abort', takeBack);
    }
  };
}
