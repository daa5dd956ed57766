/** Blocks that agents perform: found, advanced and delivered through the tools, beside gates that are for people. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTools } from '../../api/mcp';
import { type RailyardError } from '../../src/errors';
import { type Block, type Template } from '../../src/factory/schema';
import { type Protocol, type StepOutput, type ToolInput } from '../../src/workrail/protocol';
import { Bell } from '../../worker/bell';
import { LogFile } from '../../src/log';
import { factory, gateAfter, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
let bell: Bell;
beforeAll(async () => {
  yard = await Yard.open();
  const { home, ledger, client } = yard;
  const log = new LogFile(home.path('logs', 'test.log'), { level: 'debug', maxBytes: 1_000_000 });
  bell = new Bell({ home, ledger, client, log }).start();
});
afterAll(async () => {
  await bell.stop();
  await yard.close();
});

/** Tools with a store of their own, as another process has them. */
async function agent(): Promise<Protocol> {
  const opened = await openTools(yard.home, { project: null, log: () => undefined });
  return opened._unsafeUnwrap().protocol;
}

const forged = (id: string, skill: string, more: Partial<Block> = {}): Block => ({
  ...scripted(id),
  runtime: 'forge',
  skill,
  ...more,
});

type Candidate = { readonly stateToken: string; readonly runId: string; readonly sessionId: string };

/** What is open to agents in a run; waits for the first. */
async function openIn(tools: Protocol, run: string): Promise<readonly Candidate[]> {
  const found = (await tools.resume_session({}))._unsafeUnwrap();
  return found.candidates.filter(({ sessionId }) => sessionId === run);
}

async function findOpen(tools: Protocol, run: string): Promise<StepOutput> {
  for (;;) {
    const [candidate] = await openIn(tools, run);
    if (candidate) return ok(await go(tools, { stateToken: candidate.stateToken }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const go = (tools: Protocol, input: ToolInput<'continue_workflow'>) => tools.continue_workflow(input);

const ok = (result: Awaited<ReturnType<Protocol['continue_workflow']>>): StepOutput => {
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const codeOf = (result: { isErr(): boolean; _unsafeUnwrapErr(): RailyardError }): string =>
  result.isErr() ? result._unsafeUnwrapErr().code : 'ok';

/** Acknowledge the pending step. */
const ack = (
  tools: Protocol,
  { stateToken, ackToken, retryAckToken }: StepOutput,
  output: ToolInput<'continue_workflow'>['output'],
) => go(tools, { stateToken, ackToken: ackToken ?? retryAckToken, output });

const result = (block: string, attempt: number, score: number) => ({
  notesMarkdown: 'Done.',
  artifacts: [{ kind: 'wr.block_result', block, attempt, metrics: { score }, records: [], artifacts: [] }],
});

/** Where the agent is told to write. */
const outputOf = ({ pending }: StepOutput, block: string): string =>
  new RegExp(`- (\\S*/${block}\\.txt) \\(`).exec(pending?.prompt ?? '')?.[1] ?? '';

const start = (template: Template): Promise<string> => yard.start(template);

describe('a block that agents perform', () => {
  it('is found in a new chat, done step by step, and the walk goes on', async () => {
    const run = await start(factory([forged('a', 'agent-steps'), scripted('b', { needs: ['a'] })]));
    const tools = await agent();
    const first = await findOpen(tools, run);
    expect(first.pending?.stepId).toBe('gather');
    const second = ok(await ack(tools, first, { notesMarkdown: 'Gathered three things.' }));
    expect(second.pending?.stepId).toBe('write');
    // Somebody else takes it up where the first one is.
    const other = await agent();
    const taken = await findOpen(other, run);
    expect(taken.pending?.stepId).toBe('write');
    const path = outputOf(taken, 'a');
    await writeFile(path, 'the text\n');
    const last = ok(await ack(other, taken, result('a', 1, 90)));
    expect([last.isComplete, last.nextIntent]).toEqual([true, 'complete']);
    const view = await yard.untilStatus(run, 'completed');
    expect(blockOf(view, 'a').artifacts.map(({ key }) => key)).toEqual(['out']);
    // The one who was slower hears that it is over, and nothing is kept of it.
    expect(codeOf(await ack(tools, second, result('a', 1, 10)))).toBe('BLOCK_CLOSED');
    expect(await openIn(tools, run)).toEqual([]);
  });

  it('asks for what is missing without ending the attempt', async () => {
    const run = await start(factory([forged('a', 'agent-note')]));
    const tools = await agent();
    const first = await findOpen(tools, run);
    const blocked = ok(await ack(tools, first, result('a', 1, 90)));
    expect(blocked.kind).toBe('blocked');
    expect(blocked.blockers?.[0]?.code).toBe('MISSING_REQUIRED_OUTPUT');
    expect((await yard.block(run, 'a')).status).toBe('running');
    await writeFile(outputOf(first, 'a'), 'now\n');
    expect(ok(await ack(tools, blocked, result('a', 1, 90))).isComplete).toBe(true);
    const view = await yard.untilStatus(run, 'completed');
    expect(blockOf(view, 'a').attempt).toBe(1);
  });

  it('is tried again below its threshold, from the blocked place', async () => {
    const thresholds = [{ block: 'a', metric: 'score', min: 85, action: 'fail' as const }];
    const block = forged('a', 'agent-note', { execution: { retryable: true, max_retries: 1 } });
    const run = await start(factory([block], { thresholds }));
    const tools = await agent();
    const first = await findOpen(tools, run);
    await writeFile(outputOf(first, 'a'), 'poor\n');
    const blocked = ok(await ack(tools, first, result('a', 1, 50)));
    expect(blocked.kind).toBe('blocked');
    await yard.until(run, (view) => blockOf(view, 'a').attempt === 2);
    const again = await findOpen(tools, run);
    expect(again.pending?.prompt).toContain('attempt 2');
    await yard.until(run, (view) => blockOf(view, 'a').status === 'running');
    await writeFile(outputOf(again, 'a'), 'good\n');
    expect(ok(await ack(tools, again, result('a', 2, 95))).isComplete).toBe(true);
    await yard.untilStatus(run, 'completed');
  });

  it('shows its gate to agents, and none of them can pass it', async () => {
    const run = await start(factory([forged('a', 'agent-note')], { human_gates: [gateAfter('a')] }));
    const tools = await agent();
    const first = await findOpen(tools, run);
    await writeFile(outputOf(first, 'a'), 'text\n');
    const waiting = ok(await ack(tools, first, result('a', 1, 90)));
    expect(waiting.nextIntent).toBe('await_user_confirmation');
    expect(waiting.ackToken).toBeUndefined();
    // Not even an agent that says that a person said yes.
    const yes = await tools.continue_workflow(
      { stateToken: waiting.stateToken, ackToken: first.ackToken, output: { notesMarkdown: 'approved' } },
      () => Promise.resolve('yes'),
    );
    expect(yes.isErr()).toBe(true);
    await yard.untilBlock(run, 'a', 'waiting');
    expect(await yard.decide(run, 'a', { role: 'editor' })).toBe('decided');
    await yard.untilStatus(run, 'completed');
  });

  it('is nothing for agents where a skill performs it', async () => {
    const run = await start(factory([scripted('a', { script: [{ hang: true }] })]));
    await yard.untilBlock(run, 'a', 'running');
    const tools = await agent();
    expect(await openIn(tools, run)).toEqual([]);
    await yard.runs.control(run, { type: 'cancel', by: 'sam' });
    await yard.untilStatus(run, 'cancelled');
  });

  it('runs out of time where nobody comes', async () => {
    const run = await start(factory([forged('a', 'agent-note', { timeout: 1 })]));
    const view = await yard.untilStatus(run, 'failed');
    expect(blockOf(view, 'a').failure).toBe('timeout');
  });
});
