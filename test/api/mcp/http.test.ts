import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent } from '../../../scripts/agent-client';
import { BUG_TASK, BUG_WORKFLOW } from '../../../scripts/agent-story';
import { ErrorAnswer } from '../../../api/openapi/other-answers';
import { faultsIn, operationOf } from '../openapi/conforms';
import { Scene } from '../auth-scene';

let scene: Scene;
let key: string;
beforeAll(async () => {
  scene = await Scene.open();
  key = await scene.key('agnes', 'agent');
});
afterAll(async () => {
  await scene.close();
  expect(scene.faults).toEqual([]);
});

const ACCEPT = { accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'by-hand', version: '1' },
  },
};

/** A request by hand. */
function send(
  method: string,
  body: unknown,
  headers: Record<string, string> = {},
  as: string = key,
): Promise<Response> {
  return fetch(`${scene.url}/mcp`, {
    method,
    headers: {
      ...ACCEPT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      authorization: `Bearer ${as}`,
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function sessionOf(as: string = key): Promise<string> {
  const answer = await send('POST', INITIALIZE, {}, as);
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

describe('an agent over HTTP', () => {
  it('performs a bundled workflow to its end', async () => {
    const agent = await Agent.http(scene.url, key);
    const { end, done } = await agent.finish(
      await agent.call('start_workflow', { workflowId: BUG_WORKFLOW, context: BUG_TASK }),
    );
    expect(done).toHaveLength(8);
    expect(end).toMatchObject({ isComplete: true, nextIntent: 'complete' });
    await agent.close();
  });

  it('goes on with the tokens of an agent over stdio, and the other way round', async () => {
    const [near, far] = [await Agent.stdio(scene.home.root), await Agent.http(scene.url, key)];
    const first = await near.call('start_workflow', { workflowId: BUG_WORKFLOW });
    const second = await far.advance(first);
    expect(await near.advance(first)).toEqual(second);
    expect((await near.advance(second)).pending?.stepId).toBe('hypothesise');
    await near.close();
    await far.close();
  });

  it('has its user asked, on the stream of the answer', async () => {
    const asked: string[] = [];
    const agent = await Agent.http(scene.url, key, {
      person: (message) => {
        asked.push(message);
        return { action: 'accept', content: { confirmed: false } };
      },
    });
    const started = await agent.call('start_workflow', { workflowId: 'wr.document_drafting' });
    const { stateToken, ackToken } = started;
    const answer = await agent.call('continue_workflow', {
      ...{ stateToken, ackToken },
      output: {
        notesMarkdown: `Reader: the head of operations, who has ten minutes. Purpose: to decide whether the export is
rewritten this quarter. In scope: the monthly export. Out of scope: the importer, which reads the same files.
Form: two pages in docs/export.md; the platform team has to agree.`,
      },
    });
    expect(asked).toHaveLength(1);
    expect(answer).toMatchObject({ kind: 'blocked', isComplete: false });
    await agent.close();
  });

  it('ends its session, and begins another with the tokens it has', async () => {
    const agent = await Agent.http(scene.url, key);
    const { stateToken } = await agent.call('start_workflow', { workflowId: BUG_WORKFLOW });
    await agent.close();
    const other = await Agent.http(scene.url, key);
    expect((await other.call('continue_workflow', { stateToken })).pending?.stepId).toBe('understand');
    await other.close();
  });

  it('is not let in with a key of another role', async () => {
    for (const role of ['viewer', 'operator', 'expert']) {
      const other = await scene.key(role, role);
      await expect(Agent.http(scene.url, other)).rejects.toThrow(/FORBIDDEN/);
    }
    await expect(Agent.http(scene.url, 'nothing')).rejects.toThrow();
  });
});

describe('a session of the transport', () => {
  it("is its own caller's alone", async () => {
    const session = await sessionOf();
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const bo = await scene.key('bo', 'agent');
    const status = async (as: string) => (await send('POST', ping, { 'mcp-session-id': session }, as)).status;
    expect([await status(key), await status(bo)]).toEqual([200, 404]);
    expect((await send('DELETE', undefined, { 'mcp-session-id': session }, bo)).status).toBe(404);
    expect((await send('DELETE', undefined, { 'mcp-session-id': session })).status).toBe(200);
    expect(await status(key)).toBe(404);
  });

  it('has no stream of its own', async () => {
    const answer = await send('GET', undefined, { 'mcp-session-id': await sessionOf() });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('DELETE, POST');
  });

  it('has the headers of every other answer', async () => {
    const answer = await send('POST', INITIALIZE);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    await answer.text();
  });
});

describe('a request that cannot be taken', () => {
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/list' };
  const BAD: readonly (readonly [string, number, string, unknown, Record<string, string>])[] = [
    ['is no message', 400, 'INPUT_INVALID', { hello: 'you' }, {}],
    ['is empty', 400, 'INPUT_INVALID', [], {}],
    ['is no JSON', 400, 'INPUT_INVALID', '{', {}],
    ['names no session', 400, 'INPUT_INVALID', call, {}],
    ['begins two at once', 400, 'INPUT_INVALID', [INITIALIZE, INITIALIZE], {}],
    ['names one that is not there', 404, 'MCP_SESSION_NOT_FOUND', call, { 'mcp-session-id': 'none' }],
    ['takes no stream', 400, 'INPUT_INVALID', INITIALIZE, { accept: 'application/json' }],
    ['has an unknown version', 400, 'INPUT_INVALID', call, { 'mcp-protocol-version': '1999-01-01' }],
    ["comes from a stranger's page", 403, 'FORBIDDEN', INITIALIZE, { origin: 'https://example.org' }],
    ['is too large', 413, 'BODY_TOO_LARGE', { ...call, params: { x: 'x'.repeat(9e6) } }, {}],
  ];

  it.each(BAD)('is refused with the envelope: it %s', async (_what, status, code, body, headers) => {
    const answer = await send('POST', body, headers);
    const said: unknown = await answer.json();
    expect([answer.status, ErrorAnswer.parse(said).code]).toEqual([status, code]);
    expect(faultsIn(operationOf('POST', '/mcp'), answer.status, said)).toEqual([]);
  });
});

describe('a service that stops', () => {
  it('answers a call that waits for a person, and takes the question back', async () => {
    const own = await Scene.open();
    const agent = await Agent.http(own.url, await own.key('agnes', 'agent'), {
      person: async () => {
        void own.server.close();
        return new Promise(() => undefined);
      },
    });
    const { stateToken, ackToken } = await agent.call('start_workflow', {
      workflowId: 'wr.document_drafting',
    });
    const output = {
      notesMarkdown: `Reader: the head of operations. Purpose: a decision. Out of scope: the importer. ${'More on it. '.repeat(20)}`,
    };
    const answer = await agent.call('continue_workflow', { stateToken, ackToken, output });
    expect(answer).toMatchObject({ kind: 'blocked', retryAckToken: expect.any(String) });
    await own.close();
    await agent.close();
  });
});
