/**
 * An agent as clients run it: the official MCP client, on a server process of its own or on a service. For the demo, the benchmark
 * and the tests.
 */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { type RailyardError } from '../src/errors';
import { PACKAGE_ROOT } from '../src/home';
import { type ToolName, type ToolOutput } from '../src/workrail/protocol';
import { storyOutput } from './agent-story';

const PROGRAM = join(PACKAGE_ROOT, 'bin', 'railyard.js');

export type Step = ToolOutput<'start_workflow'>;

/** What the person at the client does when they are asked. */
export type Person = (message: string) => ElicitResult | Promise<ElicitResult>;

interface AgentOptions {
  readonly person?: Person;
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
  readonly cwd?: string;
}

export class Agent {
  private constructor(
    readonly client: Client,
    readonly transport: Transport,
  ) {}

  /** With `railyard mcp` on a data directory as its child. */
  static async stdio(home: string, { person, env = {}, args = [], cwd }: AgentOptions = {}): Promise<Agent> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      env: { ...getDefaultEnvironment(), RAILYARD_HOME: home, ...env },
      stderr: 'pipe',
      ...(cwd === undefined ? {} : { cwd }),
    });
    return Agent.connect(transport, person);
  }

  /** With a service. */
  static async http(url: string, key: string, { person }: AgentOptions = {}): Promise<Agent> {
    const headers = { authorization: `Bearer ${key}` };
    // The SDK's class says `sessionId: string | undefined` where its interface says `sessionId?: string`.
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers },
    }) as unknown as Transport;
    return Agent.connect(transport, person);
  }

  private static async connect(transport: Transport, person?: Person): Promise<Agent> {
    const capabilities = person ? { elicitation: {} } : {};
    const client = new Client({ name: 'railyard-agent', version: '1' }, { capabilities });
    if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
    await client.connect(transport);
    // From here on the client itself checks every answer against the schema of its tool.
    await client.listTools();
    return new Agent(client, transport);
  }

  /** The process of the server; null over HTTP. */
  get pid(): number | null {
    return this.transport instanceof StdioClientTransport ? this.transport.pid : null;
  }

  /** Call a tool that answers. */
  async call<N extends ToolName>(name: N, args: Record<string, unknown> = {}): Promise<ToolOutput<N>> {
    const { isError, structuredContent, content } = await this.raw(name, args);
    if (isError === true) throw new Error(`${name} was refused: ${JSON.stringify(content)}`);
    // The client has checked it against the output schema of this tool.
    return structuredContent as ToolOutput<N>;
  }

  /** Call a tool that refuses; its envelope. */
  async refused(name: string, args: unknown): Promise<RailyardError> {
    // Also what no client would send.
    const { isError, content } = await this.raw(name, args as Record<string, unknown>);
    const [first] = content;
    if (isError !== true || first?.type !== 'text') throw new Error(`${name} was not refused.`);
    return JSON.parse(first.text) as RailyardError;
  }

  async raw(name: string, args: Record<string, unknown>) {
    return CallToolResultSchema.parse(await this.client.callTool({ name, arguments: args }));
  }

  /** Hand in what the story has for the pending step. */
  advance(at: Step, round = 0, more: Record<string, unknown> = {}): Promise<Step> {
    const { stateToken, ackToken, pending } = at;
    const output = storyOutput(pending?.stepId ?? '', round);
    return this.call('continue_workflow', { stateToken, ackToken, output, ...more });
  }

  /** Go on by the story to the end; the steps that were done, in order. */
  async finish(at: Step): Promise<{ readonly end: Step; readonly done: readonly string[] }> {
    const done: string[] = [];
    let step = at;
    while (!step.isComplete && step.pending) {
      const { stepId } = step.pending;
      step = await this.advance(step, done.filter((one) => one === stepId).length);
      if (step.kind !== 'ok') throw new Error(JSON.stringify(step.blockers));
      done.push(stepId);
    }
    return { end: step, done };
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
