import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUG_TASK, BUG_WORKFLOW } from '../../../scripts/agent-story';
import { Agent, type Step } from '../../../scripts/agent-client';
import { Scratch } from './scratch';

let scratch: Scratch;
let agents: Agent[];
beforeEach(() => {
  scratch = new Scratch();
  agents = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  scratch.remove();
});

async function agent(options: Parameters<typeof Agent.stdio>[1] = {}): Promise<Agent> {
  const made = await Agent.stdio(scratch.root, options);
  agents.push(made);
  return made;
}

const begin = (by: Agent): Promise<Step> =>
  by.call('start_workflow', { workflowId: BUG_WORKFLOW, context: BUG_TASK });

const WALK = [
  ...['understand', 'reproduce', 'hypothesise'],
  ...['experiment', 'judge', 'experiment', 'judge', 'report'],
];

describe('an agent over stdio', () => {
  it('performs a bundled workflow to its end', async () => {
    const one = await agent();
    const { workflows, problems } = await one.call('list_workflows');
    expect(workflows.map(({ workflowId }) => workflowId)).toContain(BUG_WORKFLOW);
    expect(problems).toEqual([]);
    const shown = await one.call('inspect_workflow', { workflowId: BUG_WORKFLOW, mode: 'steps' });
    expect(shown.steps?.map(({ stepId }) => stepId)).toEqual([...new Set(WALK)]);

    const { end, done } = await one.finish(await begin(one));
    expect(done).toEqual(WALK);
    expect(end).toMatchObject({
      kind: 'ok',
      isComplete: true,
      pending: null,
      nextIntent: 'complete',
      gapCount: 0,
    });
  });

  it('goes back to an old token and takes another way from there', async () => {
    const one = await agent();
    const first = await begin(one);
    const second = await one.advance(first);
    await one.finish(second);
    const sizes = scratch.manifestBytes();

    const again = await one.call('continue_workflow', { stateToken: second.stateToken });
    expect(again.pending?.stepId).toBe('reproduce');
    expect(scratch.manifestBytes()).toBe(sizes);

    const other = await one.advance({ ...again, stateToken: second.stateToken }, 0, { fork: true });
    expect(other).toMatchObject({ kind: 'ok', pending: { stepId: 'hypothesise' } });
    const causes = scratch
      .events('edge_created')
      .map(({ data }) => (data as { cause: { kind: string } }).cause.kind);
    expect(causes.filter((kind) => kind === 'intentional_fork')).toHaveLength(1);
    expect((await one.finish(other)).end.isComplete).toBe(true);
  });

  it('gets the same answer when it sends a call again, and nothing is done twice', async () => {
    const one = await agent();
    const first = await begin(one);
    const answers: string[] = [];
    for (let n = 0; n < 5; n += 1) answers.push(JSON.stringify(await one.advance(first)));
    expect(new Set(answers).size).toBe(1);
    expect(scratch.events('advance_recorded')).toHaveLength(1);
  });

  it('goes on after its server was killed between the append and the answer', async () => {
    let one = await agent();
    let step = await begin(one);
    let lost = 0;
    for (let n = 0; !step.isComplete; n += 1) {
      const before = scratch.manifestBytes();
      const round = WALK.slice(0, n).filter((id) => id === step.pending?.stepId).length;
      const answer = one.advance(step, round).then(
        () => 'came',
        () => 'lost',
      );
      // Let the call leave; from then on nothing is read any more until the server is dead.
      await new Promise((resolve) => setImmediate(resolve));
      while (scratch.manifestBytes() === before);
      process.kill(one.pid ?? 0, 'SIGKILL');
      if ((await answer) === 'lost') lost += 1;
      one = await agent();
      step = await one.advance(step, round);
      expect(step.kind).toBe('ok');
      expect(scratch.events('advance_recorded')).toHaveLength(n + 1);
    }
    expect(lost).toBeGreaterThan(0);
    expect(scratch.events('advance_recorded')).toHaveLength(WALK.length);
  });

  it('goes on in a new chat with resume_session alone', async () => {
    const before = await agent();
    const started = await before.advance(await before.advance(await begin(before)));
    await before.close();

    const after = await agent();
    const { candidates } = await after.call('resume_session', { query: 'smallest case newline' });
    const [best] = candidates;
    expect(candidates).toHaveLength(1);
    expect(best).toMatchObject({ workflowId: BUG_WORKFLOW, whyMatched: ['matched_notes'] });
    const here = await after.call('continue_workflow', { stateToken: best?.stateToken ?? '' });
    expect(here.pending?.stepId).toBe(started.pending?.stepId);
    // What was done is told, since nobody in this chat knows it.
    expect(here.pending?.prompt).toContain('out.csv');
    expect((await after.finish(here)).done).toEqual(WALK.slice(2));
  });

  it('works through two servers on one data directory in turn', async () => {
    const both = [await agent(), await agent()] as const;
    let step = await begin(both[0]);
    const done: string[] = [];
    while (!step.isComplete) {
      const by = both[done.length % 2 === 0 ? 1 : 0];
      const { stepId } = step.pending ?? { stepId: '' };
      step = await by.advance(step, done.filter((id) => id === stepId).length);
      done.push(stepId);
    }
    expect(done).toEqual(WALK);
  });

  it('reads where it is without a byte of the data directory changing', async () => {
    const one = await agent();
    const step = await one.advance(await begin(one));
    const before = scratch.fingerprint();
    for (let n = 0; n < 3; n += 1) await one.call('continue_workflow', { stateToken: step.stateToken });
    await one.call('resume_session', {});
    await one.call('list_workflows');
    expect(scratch.fingerprint()).toBe(before);
  });

  it('keeps a checkpoint, once, and goes on from there', async () => {
    const one = await agent();
    const first = await begin(one);
    const keep = () =>
      one.call('checkpoint_workflow', {
        checkpointToken: first.checkpointToken ?? '',
        notesMarkdown: 'The table has two rows, the file has one.',
      });
    const kept = await keep();
    expect(await keep()).toEqual(kept);
    expect(scratch.events('node_created')).toHaveLength(2);
    const { end } = await one.finish(await one.call('continue_workflow', { stateToken: kept.stateToken }));
    expect(end.isComplete).toBe(true);
  });

  it('is told what is missing, and mends it in one call', async () => {
    const one = await agent();
    const first = await begin(one);
    const blocked = await one.call('continue_workflow', {
      ...{ stateToken: first.stateToken, ackToken: first.ackToken },
      output: { notesMarkdown: 'Done.' },
    });
    expect(blocked).toMatchObject({ kind: 'blocked', isComplete: false });
    expect(blocked.blockers?.length).toBeGreaterThan(0);
    const mended = await one.advance({ ...blocked, ackToken: blocked.retryAckToken });
    expect(mended).toMatchObject({ kind: 'ok', pending: { stepId: 'reproduce' } });
  });
});

describe('a step that the user confirms', () => {
  const WORKFLOW = { workflowId: 'wr.change_review' };
  const REVIEW = `Purpose: the splitter emits the rest after the last newline. Surface: the number of rows of every export.
Finding 0: none; walked src/export/split.ts:18 with an empty table, one row, 40,000 rows and a torn last line.
Mutation: took the check for an empty rest away; "a table with a newline at its end" failed. Ran all tests: 212 passed.
Finding 0: confirmed that no caller adds a newline of its own, in the three callers there are.
Recommendation: approve. Not reviewed: the importer, which reads what the export writes.`;

  async function untilRecommend(one: Agent): Promise<Step> {
    let step = await one.call('start_workflow', WORKFLOW);
    while (step.pending?.stepId !== 'recommend') step = await review(one, step);
    return step;
  }
  const review = (one: Agent, { stateToken, ackToken, retryAckToken }: Step): Promise<Step> =>
    one.call('continue_workflow', {
      ...{ stateToken, ackToken: ackToken ?? retryAckToken, output: { notesMarkdown: REVIEW } },
    });

  it('is passed by a yes of the person at the client', async () => {
    const asked: string[] = [];
    const one = await agent({
      person: (message) => {
        asked.push(message);
        return { action: 'accept', content: { confirmed: true } };
      },
    });
    const end = await review(one, await untilRecommend(one));
    expect(asked).toHaveLength(1);
    expect(end.isComplete).toBe(true);
  });

  it.each([
    ['no', { action: 'accept' as const, content: { confirmed: false } }],
    ['a refusal to answer', { action: 'decline' as const }],
    ['a question that was dismissed', { action: 'cancel' as const }],
  ])('is not passed by %s', async (_what, answer) => {
    const one = await agent({ person: () => answer });
    const held = await review(one, await untilRecommend(one));
    expect(held).toMatchObject({ kind: 'blocked', isComplete: false });
    expect(held.blockers?.map(({ code }) => code)).toEqual(['USER_ONLY_DEPENDENCY']);
  });

  it('is taken as the claim of an agent whose client cannot ask', async () => {
    const one = await agent();
    const end = await review(one, await untilRecommend(one));
    expect(end.isComplete).toBe(true);
  });
});
