/** The workflow's side of blocks that agents perform: no skill is started for them, their end comes from the ledger. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BELL } from '../../workflows/messages';
import { type AttemptOutcome } from '../../src/factory/run-state';
import { factory, scripted } from '../yard/templates';
import { blockOf, Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

const agent = (id: string, timeout = 60_000) => ({ ...scripted(id, { timeout }), runtime: 'forge' as const });
const failed: AttemptOutcome = { kind: 'failed', failure: 'error', error: 'by the agent', metrics: {} };

/** What the tools of an agent do: append, then ring. */
async function finish(run: string, block: string, attempt: number, outcome: AttemptOutcome): Promise<void> {
  const proposals = [{ type: 'attempt-finished', block, attempt, outcome } as const];
  (await yard.ledger.record({ run, epoch: 1, seen: 0, proposals }))._unsafeUnwrap();
  await yard.client.workflow.getHandle(run).signal(BELL);
}

describe('a block that an agent performs', () => {
  it('waits without an activity, and goes on when the bell rings for what is in the ledger', async () => {
    const run = await yard.start(factory([agent('a'), scripted('b')]));
    await yard.untilBlock(run, 'b', 'done');
    expect((await yard.block(run, 'a')).status).toBe('running');
    await finish(run, 'a', 1, failed);
    await yard.until(run, (view) => blockOf(view, 'a').attempt === 2);
    const stored = { digest: `sha256:${'0'.repeat(64)}`, bytes: 0 };
    const out = { key: 'out', path: `${(await yard.view(run)).workspace}/a.txt`, format: 'text', ...stored };
    await finish(run, 'a', 2, {
      ...{ kind: 'succeeded', artifacts: [out], metrics: { score: 1 }, notes: 'done', recordCounts: {} },
    });
    await yard.untilStatus(run, 'completed');
    await yard.client.workflow.getHandle(run).result();
    const { events = [] } = await yard.client.workflow.getHandle(run).fetchHistory();
    const started =
      events?.filter(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'runAttempt',
      ) ?? [];
    expect(started).toHaveLength(1);
  });

  it('has failed by its time-out where none comes in time', async () => {
    const run = await yard.start(
      factory([{ ...agent('a', 300), execution: { max_retries: 1 } }, scripted('b', { needs: ['a'] })]),
    );
    const ended = await yard.untilStatus(run, 'failed');
    expect(blockOf(ended, 'a')).toMatchObject({ failure: 'timeout', attempt: 2 });
    expect(blockOf(ended, 'a').history.map(({ failure }) => failure)).toEqual(['timeout', 'timeout']);
  });

  it('is cancelled with its run, and no agent is waited for', async () => {
    const run = await yard.start(factory([agent('a')]));
    await yard.untilBlock(run, 'a', 'running');
    await yard.control(run, { type: 'cancel', by: 'carl' });
    expect(blockOf(await yard.untilStatus(run, 'cancelled'), 'a').failure).toBe('cancelled');
  });
});
