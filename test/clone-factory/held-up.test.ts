/** The clone factory while its extractors are at work: no more at once than is allowed, and a cancel in the midst. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunView } from '../../api/run-view';
import { attemptDir } from '../../src/home';
import { isAlive, until } from '../cli/railyard';
import { blockOf, type Yard } from '../yard/yard';
import { byStatus, cloneFactory, CloneRun, configured, openAccidentProneYard } from './clone-run';
import { before, BLOCKS, EXTRACTORS, GATES, statesAt, statesFailed } from './document';

const SOUL = 'soul-extractor';
const VOICE = 'voice-extractor';
const OTHERS = EXTRACTORS.filter((id) => id !== SOUL && id !== VOICE);

let yard: Yard;
beforeAll(async () => {
  yard = await openAccidentProneYard();
});
afterAll(() => yard.close());

const release = (path: string): Promise<void> => writeFile(path, '');

describe('extractors of which two may run at once', () => {
  let run: CloneRun;
  let ended: RunView;
  let full: RunView;
  /** The most that any view showed running. */
  let most = 0;

  beforeAll(async () => {
    const go = { soul: yard.home.path('go-soul'), voice: yard.home.path('go-voice') };
    const held = configured(configured(cloneFactory(), SOUL, { until: go.soul }), VOICE, { until: go.voice });
    const groups = {
      ...held.parallel_groups,
      'L2-extractors': { blocks: [...EXTRACTORS], max_concurrent: 2 },
    };
    run = await CloneRun.start(yard, { ...held, parallel_groups: groups });
    const watch = (view: RunView): RunView => {
      most = Math.max(most, EXTRACTORS.filter((id) => blockOf(view, id).status === 'running').length);
      return view;
    };
    await run.approve('expert-framework-creator');
    full = watch(await run.until('module-mapper', 'done'));
    await release(go.soul);
    await yard.until(run.id, (view) =>
      [SOUL, ...OTHERS].every((id) => blockOf(watch(view), id).status === 'done'),
    );
    await release(go.voice);
    for (const { block } of GATES.slice(1)) await run.approve(block);
    ended = await run.ends('completed');
  });

  it('leave the others pending while two are running', () => {
    expect(byStatus(full)).toEqual({
      done: before(SOUL),
      running: [SOUL, VOICE],
      pending: OTHERS,
      blocked: BLOCKS.slice(BLOCKS.indexOf('gap-analyzer')),
    });
    for (const id of OTHERS) {
      expect(blockOf(full, id).waiting_for).toBe('group L2-extractors is full: 2 running of 2');
    }
  });

  it('are never more than two, in what is seen and by the clock', () => {
    expect(most).toBe(2);
    const times = EXTRACTORS.map((id) => blockOf(ended, id)).map(({ started_at: from, ended_at: to }) => ({
      from: Date.parse(from ?? ''),
      to: Date.parse(to ?? ''),
    }));
    // It only grows where one starts, so it is enough to count there.
    const atOnce = times.map(({ from }) => times.filter((one) => one.from <= from && from < one.to).length);
    expect(Math.max(...atOnce)).toBe(2);
  });

  it('all come to their end', () => {
    expect(byStatus(ended)).toEqual({ done: BLOCKS });
    expect(ended.groups.map(({ text }) => text)).toContain('L2-extractors: 5/5 done');
  });
});

describe('a cancel', () => {
  it('while an extractor runs ends its process; what is done stays done, what depends on it stays blocked', async () => {
    const never = yard.home.path('go-never');
    const run = await CloneRun.start(yard, configured(cloneFactory(), VOICE, { until: never }));
    await run.approve('expert-framework-creator');
    await yard.until(run.id, ({ counts }) => counts.done === 10 && counts.running === 1);
    const running = join(attemptDir(yard.home, run.id, VOICE, 1), 'process.json');
    await until(() => existsSync(running));
    const { pid } = JSON.parse(await readFile(running, 'utf8')) as { pid: number };
    expect(isAlive(pid)).toBe(true);
    expect(await yard.control(run.id, { type: 'cancel', by: 'carl', reason: 'wrong expert' })).toBeNull();

    const ended = await run.ends('cancelled');
    expect(ended.reason).toBe('Cancelled by carl: wrong expert');
    expect(byStatus(ended)).toEqual({
      done: before('gap-analyzer').filter((id) => id !== VOICE),
      failed: [VOICE],
      blocked: BLOCKS.slice(BLOCKS.indexOf('gap-analyzer')),
    });
    expect(blockOf(ended, VOICE)).toMatchObject({ failure: 'cancelled', attempt: 1, attempts: 0 });
    expect(isAlive(pid)).toBe(false);
    expect(await yard.decide(run.id, 'gap-analyzer', { role: 'product_lead' })).toBe('RUN_ENDED');
  });

  it('while a gate is open closes it, and fails its block', async () => {
    const block = 'expert-framework-creator';
    const run = await CloneRun.start(yard);
    expect(byStatus(await run.untilGate(block))).toEqual(statesAt(block));
    expect(await yard.control(run.id, { type: 'cancel', by: 'carl' })).toBeNull();
    const ended = await run.ends('cancelled');
    expect(byStatus(ended)).toEqual(statesFailed(block));
    expect(ended.gates).toMatchObject([
      { block, outcome: { decision: 'cancelled', via: 'cancel', by: 'carl' } },
    ]);
  });
});
