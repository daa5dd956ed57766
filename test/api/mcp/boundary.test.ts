import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { ErrorAnswer } from '../../../api/openapi/other-answers';
import { mcpServer } from '../../../api/mcp/mcp-server';
import { TOOLS, type Protocol } from '../../../src/workrail/protocol';
import { BUG_WORKFLOW } from '../../../scripts/agent-story';
import { Agent } from '../../../scripts/agent-client';
import { Scratch } from './scratch';

const NAMES = Object.keys(TOOLS);

let scratch: Scratch;
let agent: Agent;
beforeAll(async () => {
  scratch = new Scratch();
  agent = await Agent.stdio(scratch.root);
});
afterAll(async () => {
  await agent.close();
  scratch.remove();
});

describe('the server', () => {
  it('has exactly the six tools, as the one table says', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_workflows', 'inspect_workflow', 'start_workflow'],
      ...['continue_workflow', 'checkpoint_workflow', 'resume_session'],
    ]);
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      const tool = TOOLS[name as keyof typeof TOOLS];
      expect({ title, description }).toEqual({ title: tool.title, description: tool.description });
      expect(annotations).toEqual({
        title: tool.title,
        readOnlyHint: tool.hints.readOnly,
        idempotentHint: tool.hints.idempotent,
        destructiveHint: tool.hints.destructive,
        openWorldHint: false,
      });
      expect(Object.keys(inputSchema.properties ?? {})).toEqual(Object.keys(tool.input.shape));
      expect(Object.keys(outputSchema?.properties ?? {})).toEqual(Object.keys(tool.output.shape));
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('says who it is and how its tools are used', () => {
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'railyard' });
    const instructions = agent.client.getInstructions() ?? '';
    for (const name of ['list_workflows', 'start_workflow', 'continue_workflow', 'resume_session']) {
      expect(instructions).toContain(name);
    }
  });

  it('gives structured content, and the same as text', async () => {
    const { structuredContent, content } = await agent.raw('list_workflows', {});
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  });
});

describe('a call that cannot be done', () => {
  const BAD: readonly (readonly [string, unknown, string])[] = [
    ['start_workflow', {}, 'VALIDATION_ERROR'],
    ['start_workflow', { workflowId: 7 }, 'VALIDATION_ERROR'],
    ['start_workflow', { workflowId: BUG_WORKFLOW, more: true }, 'VALIDATION_ERROR'],
    ['start_workflow', { workflowId: BUG_WORKFLOW, context: { lone: '\ud800' } }, 'VALIDATION_ERROR'],
    ['start_workflow', { workflowId: BUG_WORKFLOW, preferences: { autonomy: 'all' } }, 'VALIDATION_ERROR'],
    ['start_workflow', { workflowId: 'wr.nothing' }, 'WORKFLOW_NOT_FOUND'],
    ['inspect_workflow', { workflowId: 'wr.nothing' }, 'WORKFLOW_NOT_FOUND'],
    ['inspect_workflow', { workflowId: BUG_WORKFLOW, mode: 'all' }, 'VALIDATION_ERROR'],
    ['continue_workflow', { stateToken: '' }, 'TOKEN_INVALID_FORMAT'],
    ['continue_workflow', { stateToken: 'st.v1.x.y' }, 'TOKEN_INVALID_FORMAT'],
    ['continue_workflow', { ackToken: 'ack.v1.x.y' }, 'VALIDATION_ERROR'],
    ['checkpoint_workflow', { checkpointToken: 'chk.v9.x.y' }, 'TOKEN_UNSUPPORTED_VERSION'],
    ['resume_session', { gitHeadSha: 'main' }, 'VALIDATION_ERROR'],
    ['list_workflows', { mode: 'all' }, 'VALIDATION_ERROR'],
  ];

  it.each(BAD)(
    '[error-no-throw-across-mcp] is answered with the envelope: %s %j',
    async (name, args, code) => {
      const error = await agent.refused(name, args);
      expect(ErrorAnswer.safeParse(error).success).toBe(true);
      expect(error.code).toBe(code);
    },
  );

  it('names every problem of its arguments, and what to do', async () => {
    const error = await agent.refused('start_workflow', {
      workflowID: BUG_WORKFLOW,
      preferences: { autonomy: 'al' },
    });
    const { problems } = error.details as { problems: { pointer: string }[] };
    expect(problems.map(({ pointer }) => pointer).sort()).toEqual([
      '/preferences/autonomy',
      '/workflowID',
      '/workflowId',
    ]);
    expect(error.suggestion).toContain('workflowId');
    expect(error.suggestion).toContain('Then call start_workflow again.');
  });

  it('[error-budget-details] says how large a context is, how large it may be and how that is measured', async () => {
    const error = await agent.refused('start_workflow', {
      workflowId: BUG_WORKFLOW,
      context: { blob: 'ä'.repeat(200_000) },
    });
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(JSON.stringify(error.details)).toMatch(/400011/);
    expect(JSON.stringify(error.details)).toMatch(/262144/);
    expect(JSON.stringify(error.details)).toMatch(/JCS/);
    expect(error.suggestion).toMatch(/blob|reference/);
  });

  it('[error-no-throw-across-mcp] is answered with the envelope whatever its arguments are', async () => {
    const key = fc.constantFrom(
      ...Object.values(TOOLS).flatMap(({ input }) => Object.keys(input.shape)),
      'x',
    );
    const args = fc.dictionary(key, fc.jsonValue(), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), args, async (name, given) => {
        const { isError, content } = await agent.raw(name, given);
        if (isError !== true) return;
        const [first] = content;
        const text = first?.type === 'text' ? first.text : '';
        expect(ErrorAnswer.safeParse(JSON.parse(text)).success).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('of a tool that does not exist is an error of the protocol, with the envelope as its data', async () => {
    const error: unknown = await agent.raw('stop_workflow', {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(McpError);
    const { code, data } = error as McpError;
    expect(code).toBe(-32602);
    expect(ErrorAnswer.parse(data).suggestion).toContain('list_workflows');
  });

  it('on a damaged session is answered with the envelope', async () => {
    const own = new Scratch();
    const one = await Agent.stdio(own.root);
    const { stateToken } = await one.call('start_workflow', { workflowId: BUG_WORKFLOW });
    await one.close();
    const session = join(own.root, 'workrail', 'sessions', own.sessions()[0] ?? '');
    const [segment = ''] = readdirSync(join(session, 'events'));
    const path = join(session, 'events', segment);
    writeFileSync(path, readFileSync(path, 'utf8').replace('session_created', 'session_createt'));
    const other = await Agent.stdio(own.root);
    const error = await other.refused('continue_workflow', { stateToken });
    expect(ErrorAnswer.safeParse(error).success).toBe(true);
    expect(error.code).toBe('SESSION_CORRUPT');
    await other.close();
    own.remove();
  });

  it('[error-no-throw-across-mcp] for a bug of ours is answered with the envelope, and logged', async () => {
    const bug = (): never => {
      throw new Error('Bug: /home/somebody/secret');
    };
    const protocol = Object.fromEntries(NAMES.map((name) => [name, bug])) as unknown as Protocol;
    const logged: unknown[] = [];
    const { server } = mcpServer({ protocol, version: '0', log: (_message, error) => logged.push(error) });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(there);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(here);
    const answer = await client.callTool({ name: 'list_workflows', arguments: {} });
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain('INTERNAL');
    expect(JSON.stringify(answer.content)).not.toContain('secret');
    expect(logged).toHaveLength(1);
    await client.close();
  });
});

describe('standard output', () => {
  /** A server spoken to by hand. */
  function start(root: string): {
    child: ChildProcess;
    out: () => string;
    err: () => string;
    ended: Promise<number | null>;
  } {
    const program = join(__dirname, '..', '..', '..', 'bin', 'railyard.js');
    const child = spawn(process.execPath, [program, 'mcp'], {
      env: { ...process.env, RAILYARD_HOME: root },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, out: () => out, err: () => err, ended };
  }

  const message = (id: number, method: string, params: object = {}): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const hello = message(1, 'initialize', {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'by-hand', version: '1' },
  });

  it('carries the protocol alone, whatever comes in, and the server ends with its client', async () => {
    const own = new Scratch();
    const { child, out, err, ended } = start(own.root);
    child.stdin?.write(hello);
    child.stdin?.write('this is no message\n{"jsonrpc":"1.0"}\n[]\n');
    child.stdin?.write(
      message(2, 'tools/call', { name: 'start_workflow', arguments: { workflowId: BUG_WORKFLOW } }),
    );
    child.stdin?.write(message(3, 'no/such/method'));
    child.stdin?.write(message(4, 'tools/call', { name: 5 }));
    // The client goes away with calls under way: they are finished and answered.
    child.stdin?.end();
    expect(await ended).toBe(0);
    const lines = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
    expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(lines.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4]);
    expect(own.events('run_started')).toHaveLength(1);
    for (const line of err().trimEnd().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
    own.remove();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly at %s', async (signal) => {
    const own = new Scratch();
    const { child, out, ended } = start(own.root);
    child.stdin?.write(hello);
    while (out() === '') await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill(signal);
    expect(await ended).toBe(0);
    own.remove();
  });

  it('stays empty where the data directory cannot be used', async () => {
    const own = new Scratch();
    writeFileSync(join(own.root, 'format.json'), '{"format": 99}');
    const { out, err, ended } = start(own.root);
    expect(await ended).not.toBe(0);
    expect(out()).toBe('');
    expect(err()).toContain('HOME_FORMAT_UNKNOWN');
    own.remove();
  });
});
