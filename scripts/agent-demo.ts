/**
 * `npm run agent-demo`: an agent investigates a bug through the MCP tools, on a data directory of its own, and things go wrong on the
 * way: an answer is lost, the server is killed, the agent changes its mind, the chat ends. It says what happens; no model takes part,
 * the agent's notes are a story that was written before.
 */
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Step } from './agent-client';
import { BUG_TASK, BUG_WORKFLOW } from './agent-story';
import { say } from './own-service';

async function demo(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-agent-demo-'));
  say(`data directory: ${home}`);
  let agent = await Agent.stdio(home);
  try {
    title('What there is');
    for (const { workflowId, description } of (await agent.call('list_workflows')).workflows) {
      say(`  ${workflowId}: ${description}`);
    }

    title('The agent starts one');
    const first = await agent.call('start_workflow', { workflowId: BUG_WORKFLOW, context: BUG_TASK });
    tell(first);
    say(indented(first.pending?.prompt ?? ''));

    title('It hands in too little, hears what is missing, and mends it');
    const blocked = await agent.call('continue_workflow', {
      ...{ stateToken: first.stateToken, ackToken: first.ackToken },
      output: { notesMarkdown: 'The export is broken.' },
    });
    for (const { message } of blocked.blockers ?? []) say(`  blocked: ${message}`);
    let step = await agent.advance({ ...blocked, ackToken: blocked.retryAckToken });
    tell(step);

    title('An answer is lost: the same call again gets the same answer, and nothing is done twice');
    const [once, again] = [await agent.advance(step), await agent.advance(step)];
    say(`  the two answers are the same: ${String(JSON.stringify(once) === JSON.stringify(again))}`);
    const early = once;
    tell(once);

    title('The server is killed while it takes a step; a new one is asked the same again');
    const before = await manifestBytes(home);
    const lost = agent.advance(once).then(
      () => 'its answer came through',
      () => 'its answer never came',
    );
    while ((await manifestBytes(home)) === before) await sleep(0);
    process.kill(agent.pid ?? 0, 'SIGKILL');
    say(`  killed once the step was on the disk; ${await lost}`);
    agent = await Agent.stdio(home);
    step = await agent.advance(once);
    tell(step);

    title('It goes round the loop of experiments');
    step = await agent.advance(step, 0);
    tell(step);
    step = await agent.advance(step, 0);
    tell(step);

    title('It goes back to an old token and tries another way from there; the first way stays');
    const back = await agent.call('continue_workflow', { stateToken: early.stateToken });
    tell(back);
    tell(await agent.advance({ ...back, stateToken: early.stateToken }, 0, { fork: true }));

    title('The chat ends; a new one finds the work again');
    await agent.close();
    agent = await Agent.stdio(home);
    const { candidates } = await agent.call('resume_session', { query: 'monthly export' });
    for (const { label, whyMatched } of candidates) say(`  found ${label} (${whyMatched.join(', ')})`);
    const here = await agent.call('continue_workflow', { stateToken: candidates[0]?.stateToken ?? '' });
    tell(here);

    title('It works to the end');
    const { end, done } = await agent.finish(here);
    say(`  steps: ${done.join(', ')}`);
    tell(end);
  } finally {
    await agent.close();
  }
  say(`\nLook at what was kept:  RAILYARD_HOME=${home} npx railyard sessions`);
  say('Use it yourself:        docs/guides/mcp.md');
}

const title = (text: string): void => say(`\n${text}`);

function tell({ label, kind, pending, isComplete, gapCount }: Step): void {
  const now = pending ? `pending: ${pending.title}` : isComplete ? `complete, ${gapCount} gaps` : 'waiting';
  say(`  ${kind}  ${label}  ${now}`);
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    | ${line}`.trimEnd())
    .join('\n');

/** How much has been committed, in all sessions. */
async function manifestBytes(home: string): Promise<number> {
  const folder = join(home, 'workrail', 'sessions');
  let bytes = 0;
  for (const session of await readdir(folder)) {
    bytes += await stat(join(folder, session, 'manifest.jsonl')).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

demo().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
