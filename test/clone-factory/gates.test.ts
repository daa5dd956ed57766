/** The three gates of the clone factory, when somebody is not content. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blockOf, Yard } from '../yard/yard';
import { byStatus, CloneRun } from './clone-run';
import { BLOCKS, gateOf, statesAt, statesFailed } from './document';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

describe('a rejection with feedback, and then an approval', () => {
  /** What is said at each gate, and where the next attempt shows that it has heard it. */
  const REJECTIONS = [
    {
      block: 'expert-framework-creator',
      text: "It misses the 'sideways card' altogether.",
      artifact: 'expert-framework',
      shows: { added_from_feedback: [{ name: 'sideways card' }] },
    },
    {
      block: 'gap-analyzer',
      text: "No word about the 'Hat Debate'.",
      artifact: 'gap-report',
      shows: {
        gaps: expect.arrayContaining([expect.objectContaining({ kind: 'reviewer', about: 'Hat Debate' })]),
      },
    },
    {
      block: 'clone-tester',
      text: 'I want the "loan chair" in it.',
      artifact: 'test-results',
      shows: { reviewers: [{ term: 'loan chair', in_sources: true }] },
    },
  ];
  let run: CloneRun;
  beforeAll(async () => {
    run = await CloneRun.start(yard);
  });

  // One run, gate by gate: each of these goes on where the one before it ended.
  it.each(REJECTIONS)(
    'after $block makes a second attempt that is told of it, while nothing downstream starts',
    async ({ block, text, artifact, shows }) => {
      const said = { attempt: 1, from: 'ann', role: gateOf(block).approvers[0], text };
      expect(byStatus(await run.untilGate(block))).toEqual(statesAt(block));
      const begun = await run.begun();
      expect(await run.reject(block, text)).toBe('decided');

      const again = await run.untilGate(block, 2);
      expect(byStatus(again)).toEqual(statesAt(block));
      expect(await run.begun()).toEqual([...begun, `${block}.2`].sort());
      const rejected = { attempt: 1, failure: 'gate_rejected' };
      expect(blockOf(again, block)).toMatchObject({ attempts: 1, feedback: [said], history: [rejected] });

      expect(await run.request(block, 1)).toMatchObject({ attempt: 1, feedback: [], previous: null });
      expect(await run.request(block, 2)).toMatchObject({ attempt: 2, feedback: [said], previous: rejected });
      expect(await run.json(block, artifact)).toMatchObject(shows);
      await run.approve(block, 2);
    },
  );

  it('ends with all 18 blocks done, and both decisions at each gate on record', async () => {
    const ended = await run.ends('completed');
    expect(byStatus(ended)).toEqual({ done: BLOCKS });
    expect(ended.gates.map(({ block, attempt, outcome }) => [block, attempt, outcome?.decision])).toEqual(
      REJECTIONS.flatMap(({ block }) => [
        [block, 1, 'rejected'],
        [block, 2, 'approved'],
      ]),
    );
    const attempts = ended.blocks.flatMap(({ history }) => history);
    expect(attempts).toHaveLength(BLOCKS.length + REJECTIONS.length);
  });
});

describe('the gate after the expert framework', () => {
  const BLOCK = 'expert-framework-creator';

  it('fails its block when it is rejected with no retry left', async () => {
    const run = await CloneRun.start(yard);
    await run.untilGate(BLOCK);
    expect(await run.reject(BLOCK, 'Too thin.')).toBe('decided');
    await run.untilGate(BLOCK, 2);
    expect(await run.reject(BLOCK, 'Still too thin.')).toBe('decided');
    const ended = await run.ends('failed');
    expect(byStatus(ended)).toEqual(statesFailed(BLOCK));
    expect(blockOf(ended, BLOCK)).toMatchObject({ failure: 'gate_rejected', attempt: 2, attempts: 1 });
    expect(blockOf(ended, 'factory-reporter').waiting_for).toBe(`upstream ${BLOCK} failed`);
  });

  it('fails its block when it is rejected with abort, whatever the budget', async () => {
    const run = await CloneRun.start(yard);
    await run.untilGate(BLOCK);
    expect(await run.reject(BLOCK, 'The wrong expert.', 'abort')).toBe('decided');
    const ended = await run.ends('failed');
    expect(byStatus(ended)).toEqual(statesFailed(BLOCK));
    expect(blockOf(ended, BLOCK)).toMatchObject({ failure: 'gate_rejected', attempt: 1, attempts: 0 });
  });
});

describe('the gate after the gap analysis', () => {
  it('is not for the expert, who may decide the first one', async () => {
    const run = await CloneRun.start(yard);
    await run.approve('expert-framework-creator');
    await run.untilGate('gap-analyzer');
    expect(await yard.decide(run.id, 'gap-analyzer', { role: 'expert' })).toBe('GATE_ROLE_REFUSED');
    expect(await yard.decide(run.id, 'gap-analyzer', { role: 'product_lead' })).toBe('decided');
  });
});
