/**
 * The workflow follows the ledger: whenever one looks, its state is the walk's fold over the facts of the store up to some
 * place, that place only moves on, and where nothing is under way it is the end.
 */
import { isDeepStrictEqual } from 'node:util';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunState } from '../../src/factory/run-state';
import { type Block, type Template } from '../../src/factory/schema';
import { apply, startRun } from '../../src/factory/walk';
import { STATE } from '../../workflows/messages';
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { Yard } from '../yard/yard';

let yard: Yard;
beforeAll(async () => {
  yard = await Yard.open();
});
afterAll(() => yard.close());

const LOOK_EVERY_MS = 20;

/** Looks at a run, from its start to its end. */
class Watch {
  private readonly seen: RunState[] = [];
  private over = false;
  private readonly looking: Promise<void>;

  constructor(private readonly run: string) {
    this.looking = this.look();
  }

  /** Nothing is under way: store and workflow say the same. The last completion may be on its way to the workflow. */
  async settled(): Promise<void> {
    await until(async () => isDeepStrictEqual(await this.query(), await this.stands()));
  }

  /** Stop looking, and judge all that was seen. */
  async judge(): Promise<void> {
    await this.settled();
    this.over = true;
    await this.looking;
    const states = await foldsOf(this.run);
    expect(states.at(-1)).toEqual(await this.stands());
    let at = 0;
    for (const state of this.seen) {
      const next = states.findIndex((fold, place) => place >= at && isDeepStrictEqual(fold, state));
      if (next === -1) expect(state).toEqual(states[at]);
      at = next;
    }
    expect(at).toBe(states.length - 1);
    expect(this.seen.length).toBeGreaterThan(1);
  }

  private async look(): Promise<void> {
    while (!this.over) {
      this.seen.push(await this.query());
      await sleep(LOOK_EVERY_MS);
    }
    this.seen.push(await this.query());
  }

  private query(): Promise<RunState> {
    return yard.client.workflow.getHandle(this.run).query<RunState>(STATE);
  }

  private async stands(): Promise<RunState> {
    return plain((await yard.ledger.standing(this.run))._unsafeUnwrap().state);
  }
}

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The state after each fact, the first one before any. */
async function foldsOf(run: string): Promise<readonly RunState[]> {
  const { plan, startedAt, epoch } = (await yard.ledger.standing(run))._unsafeUnwrap();
  const facts = (await yard.ledger.read({ run, epoch, seen: 0 }))._unsafeUnwrap();
  let { state } = startRun(plan, { startedBy: 'sam' }, startedAt);
  const folds = [plain(state)];
  for (const { event, at } of facts) {
    state = apply(plan, state, event, at)._unsafeUnwrap().state;
    folds.push(plain(state));
  }
  return folds;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const patience = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > patience) throw new Error('In vain');
    await sleep(LOOK_EVERY_MS);
  }
}

async function watched(
  template: Template,
  play: (run: string, watch: Watch) => Promise<unknown>,
): Promise<void> {
  const run = await yard.start(template);
  const watch = new Watch(run);
  await play(run, watch);
  await watch.judge();
}

const reaches = (run: string, block: string, status: 'waiting' | 'failed' | 'running', attempt = 1) =>
  yard.until(run, ({ blocks }) =>
    blocks.some((one) => one.id === block && one.status === status && one.attempt === attempt),
  );

describe('at every step, the workflow is where the store is:', () => {
  it('many blocks at once, in a group, with what depends on them', async () => {
    const wide = Array.from({ length: 12 }, (_, n) => scripted(`w${n}`));
    const needs = wide.map(({ id }) => id);
    const group = { trio: { blocks: needs.slice(0, 6), max_concurrent: 3 } };
    await watched(factory([...wide, scripted('last', { needs })], { parallel_groups: group }), (run) =>
      yard.untilStatus(run, 'completed'),
    );
  });

  it('errors, missed thresholds, an override, and the retry of a block', async () => {
    const low = { metrics: { score: 80 } };
    const threshold = { metric: 'score', min: 85 };
    const blocks = [
      scripted('fails', { script: [{ fail: 'one' }, { fail: 'two' }, {}], execution: { max_retries: 1 } }),
      scripted('low', { script: [low, low], execution: { threshold, max_retries: 1 } }),
    ];
    await watched(factory(blocks), async (run, watch) => {
      await yard.untilStatus(run, 'failed');
      await watch.settled();
      expect(await yard.decide(run, 'low', { override: true, justification: 'alpha' })).toBe('decided');
      await watch.settled();
      await yard.control(run, { type: 'retry-block', block: 'fails', by: 'rob' });
      await yard.untilStatus(run, 'completed');
    });
  });

  it('gates: rejections, a quorum, an early decision, a deadline, a pause', async () => {
    const go = yard.home.path('go-follows');
    const blocks = [
      scripted('a'),
      scripted('b', { needs: ['a'] }),
      scripted('c', { script: [{ until: go }] }),
    ];
    const human_gates = [
      gateAfter('a', { quorum: 2 }),
      gateBefore('b', { timeout_hours: 0.3 / 3600, auto_approve_on_timeout: true }),
      gateAfter('c'),
    ];
    await watched(factory(blocks, { human_gates }), async (run, watch) => {
      expect(await yard.decide(run, 'c')).toBe('kept');
      await reaches(run, 'a', 'waiting');
      await watch.settled();
      expect(await yard.decide(run, 'a', { decision: 'reject', feedback: 'more hats' })).toBe('decided');
      await reaches(run, 'a', 'waiting', 2);
      await yard.control(run, { type: 'pause', by: 'rob' });
      await watch.settled();
      // All at once: the store puts them into one order, and everybody hears that.
      const answers = await Promise.all(
        ['ann', 'bob', 'eve'].map((approver) => yard.decide(run, 'a', { approver })),
      );
      expect(answers.sort()).toEqual(['GATE_ALREADY_DECIDED', 'counted', 'decided']);
      await watch.settled();
      await yard.control(run, { type: 'resume', by: 'rob' });
      await writeFile(go, '');
      await yard.untilStatus(run, 'completed');
    });
  });

  it('triggers and events, kept and taken up', async () => {
    const go = yard.home.path('go-follows-triggers');
    const extra: Block = {
      ...scripted('extra'),
      ...{ trigger: { type: 'manual' }, lifecycle: { mode: 'on-demand' } },
    };
    const told: Block = {
      ...scripted('told', { needs: ['main'] }),
      trigger: { type: 'event', event: 'saved' },
    };
    await watched(
      factory([scripted('main', { script: [{ until: go }] }), extra, told]),
      async (run, watch) => {
        const by = { by: 'tom', payload: 1 };
        for (const id of ['one', 'two', 'three', 'one']) {
          await yard.runs.fire(run, { type: 'trigger', block: 'extra', via: 'manual', id, ...by });
        }
        await yard.runs.fire(run, { type: 'event', name: 'saved', id: 'saved', ...by });
        await yard.until(run, ({ blocks }) => blocks[1]?.attempt === 3 && blocks[1].status === 'done');
        await watch.settled();
        await writeFile(go, '');
        await yard.untilStatus(run, 'completed');
      },
    );
  });

  it('a cancel, with a skill at work and a gate open', async () => {
    const blocks = [scripted('hangs', { script: [{ hang: true }] }), scripted('gated')];
    await watched(factory(blocks, { human_gates: [gateAfter('gated')] }), async (run, watch) => {
      await reaches(run, 'hangs', 'running');
      await reaches(run, 'gated', 'waiting');
      await watch.settled();
      await yard.control(run, { type: 'cancel', by: 'carl' });
      await yard.untilStatus(run, 'cancelled');
    });
  });
});
