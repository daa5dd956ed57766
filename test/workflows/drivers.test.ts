/** Who drives a run: the latest one that the ledger knows, and nobody without its facts. */
import { cp, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { createNoopRuntime, type SkillRuntime } from '../../activities';
import { isAlive, until } from '../cli/railyard';
import { skillPid } from '../yard/skill-process';
import { factory, gateAfter, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
beforeEach(async () => {
  yard = await Yard.open();
});
afterEach(() => yard.close());

const chain = [scripted('a'), scripted('b', { needs: ['a'] })];
const gated = factory(chain, { human_gates: [gateAfter('a')] });

/** The failure that a run's workflow ends with. */
async function failureOf(run: string): Promise<ApplicationFailure> {
  try {
    await yard.client.workflow.getHandle(run).result();
  } catch (error) {
    if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
    throw error;
  }
  throw new Error(`${run} did not fail`);
}

const takeOver = async (run: string): Promise<void> => {
  const driver = { workflowId: 'elsewhere', by: 'olga', restartDeadlines: false };
  (await yard.ledger.takeOver(run, driver))._unsafeUnwrap();
};

describe('a workflow whose run somebody else drives', () => {
  it('hears so at its next word, and ends; nothing of what it says counts', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'a', 'waiting');
    await takeOver(run);
    expect(await yard.decide(run, 'a')).toBe('SUPERSEDED');
    expect(await failureOf(run)).toMatchObject({
      type: 'Superseded',
      nonRetryable: true,
      details: [{ code: 'SUPERSEDED' }],
    });
    expect((await yard.view(run)).gates).toMatchObject([{ outcome: null }]);
  });

  it('stops its skills, and their ends are not appended', async () => {
    const run = await yard.start(
      factory([scripted('hangs', { script: [{ hang: true }] }), scripted('other')]),
    );
    await yard.untilBlock(run, 'other', 'done');
    const pid = await skillPid(yard.home.root, run, 'hangs');
    await takeOver(run);
    await yard.client.workflow.getHandle(run).signal('bell');
    expect((await failureOf(run)).type).toBe('Superseded');
    await until(() => Promise.resolve(!isAlive(pid)));
    expect(blockOf(await yard.view(run), 'hangs').status).toBe('running');
  });

  it('starts no skill for an attempt of the past', async () => {
    const go = yard.home.path('go-past');
    const run = await yard.start(
      factory([scripted('a', { script: [{ until: go }] }), scripted('b', { needs: ['a'] })]),
    );
    await skillPid(yard.home.root, run, 'a');
    await takeOver(run);
    await writeFile(go, '');
    expect((await failureOf(run)).type).toBe('Superseded');
    expect(await yard.view(run)).toMatchObject({ orphaned: true, counts: { running: 1, done: 0 } });
    expect(await yard.control(run, { type: 'resume', by: 'rob' })).toBeNull();
    const done = await yard.untilStatus(run, 'completed');
    expect(done.blocks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });
});

describe('a store that is an older copy', () => {
  it('ends the workflow, which says how to go on from it; and one can', async () => {
    const run = await yard.start(gated);
    await yard.untilBlock(run, 'a', 'waiting');
    const [sessions, copy] = [yard.home.path('workrail', 'sessions', run), yard.home.path('copy')];
    await cp(sessions, copy, { recursive: true });
    await yard.control(run, { type: 'pause', by: 'rob' });
    await yard.restart(async () => {
      await rm(sessions, { recursive: true });
      await cp(copy, sessions, { recursive: true });
    });
    expect(await yard.decide(run, 'a')).toBe('STORE_BEHIND');
    const failure = await failureOf(run);
    expect(failure).toMatchObject({ type: 'STORE_BEHIND', details: [{ code: 'STORE_BEHIND' }] });
    expect(failure.message).toContain(`railyard resume`);
    expect(await yard.control(run, { type: 'resume', by: 'rob' })).toBeNull();
    expect(await yard.decide(run, 'a')).toBe('decided');
    await yard.untilStatus(run, 'completed');
  });
});

describe('a run that is taken up from the store', () => {
  it('after a reset to its beginning executes nothing again', async () => {
    const executed: string[] = [];
    const noop = createNoopRuntime();
    const counting: SkillRuntime = {
      name: noop.name,
      run: (job, signal) => {
        executed.push(job.request.block);
        return noop.run(job, signal);
      },
    };
    await yard.close();
    yard = await Yard.open({ runtime: counting });
    const run = await yard.start(
      factory([...chain, scripted('c', { needs: ['b'] })], { human_gates: [gateAfter('b')] }),
    );
    await yard.untilBlock(run, 'b', 'waiting');
    const { client } = yard;
    // The first completed task: what follows is to be done anew.
    const { events } = await client.workflow.getHandle(run).fetchHistory();
    const completed = events?.find(({ workflowTaskCompletedEventAttributes: task }) => task);
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: run },
      reason: 'as an operator would',
      workflowTaskFinishEventId: completed?.eventId ?? null,
      requestId: 'reset',
    });
    await until(async () => (await yard.decide(run, 'b')) === 'decided');
    const done = await yard.untilStatus(run, 'completed');
    await client.workflow.getHandle(run).result();
    expect(done.blocks.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect(executed).toEqual(['a', 'b', 'c']);
  });
});
