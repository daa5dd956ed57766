import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNoopRuntime } from '../../activities';
import { type HistoryLimits } from '../../workflows/messages';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

describe('a run with a long history', () => {
  let yard: Yard;
  beforeAll(async () => {
    yard = await Yard.open({ limits: { continueAt: 15, drainAt: 30 } satisfies HistoryLimits });
  });
  afterAll(() => yard.close());

  it('goes on in a fresh execution, with its gates, deadlines, votes and attempts', async () => {
    const chain = Array.from({ length: 12 }, (_, n) =>
      scripted(`b${n}`, { needs: n === 0 ? [] : [`b${n - 1}`] }),
    );
    const run = await yard.start(
      factory(chain, {
        human_gates: [
          gateAfter('b3', { quorum: 2, timeout_hours: 1 }),
          gateAfter('b8', { timeout_hours: 2 / 3600, auto_approve_on_timeout: true }),
        ],
      }),
    );
    await yard.untilBlock(run, 'b3', 'waiting');
    expect(await yard.decide(run, 'b3', { approver: 'ann' })).toBe('counted');
    expect(await yard.decide(run, 'b3', { approver: 'bob' })).toBe('decided');
    const done = await yard.untilStatus(run, 'completed');
    expect(done.blocks.map(({ attempt, status }) => [attempt, status])).toEqual(chain.map(() => [1, 'done']));
    const { raw } = await yard.client.workflow.getHandle(run).describe();
    const first = raw.workflowExecutionInfo?.firstRunId;
    expect(first).toBeTruthy();
    expect(first).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
  });

  it('drains: with many blocks at once it stops starting until it has begun anew', async () => {
    const wide = Array.from({ length: 40 }, (_, n) => scripted(`w${n}`));
    const run = await yard.start(
      factory(wide, { parallel_groups: { all: { blocks: wide.map(({ id }) => id), max_concurrent: 4 } } }),
    );
    const done = await yard.untilStatus(run, 'completed');
    expect(done.counts.done).toBe(40);
    expect(done.blocks.every(({ attempt }) => attempt === 1)).toBe(true);
  });
});

describe('a run that is draining', () => {
  let yard: Yard;
  beforeAll(async () => {
    yard = await Yard.open({ limits: { continueAt: 5, drainAt: 10 } satisfies HistoryLimits });
  });
  afterAll(() => yard.close());

  it('can be cancelled: a block that waits for the next execution is never started', async () => {
    const blocks = [
      scripted('slow', { script: [{ hang: true }] }),
      scripted('first'),
      scripted('held', { needs: ['first'] }),
    ];
    const run = await yard.start(factory(blocks));
    await yard.untilBlock(run, 'held', 'running');
    await yard.control(run, { type: 'cancel', by: 'carl' });
    const ended = await yard.untilStatus(run, 'cancelled');
    expect(ended.blocks.map(({ failure }) => failure)).toEqual(['cancelled', null, 'cancelled']);
  });
});

describe('a factory of 1,000 blocks, 50 wide', () => {
  let yard: Yard;
  beforeAll(async () => {
    yard = await Yard.open({ runtime: createNoopRuntime() });
  });
  afterAll(() => yard.close());

  it("ends, well within Temporal's limits", async () => {
    const width = 50;
    const blocks = Array.from({ length: 1_000 }, (_, n) => {
      const [row, column] = [Math.floor(n / width), n % width];
      const above = (shift: number): string => `r${row - 1}-${(column + shift) % width}`;
      return scripted(`r${row}-${column}`, { needs: row === 0 ? [] : [above(0), above(7)] });
    });
    const run = await yard.start(factory(blocks));
    const handle = yard.client.workflow.getHandle(run);
    await handle.result();
    expect((await yard.view(run)).counts.done).toBe(1_000);
    const { historyLength, historySize } = await handle.describe();
    expect(historyLength).toBeLessThan(10_000);
    expect(historySize).toBeLessThan(25_000_000);
  });
});
