import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLine } from '../../api/run-reader';
import { type RailyardError } from '../../src/errors';
import { factory, gateAfter, scripted } from '../yard/templates';
import { Caller } from './caller';

interface Page {
  readonly runs: readonly RunLine[];
  readonly next_cursor: string | null;
}

let caller: Caller;
const gated = factory([scripted('a')], { human_gates: [gateAfter('a')] });
const plain = { ...factory([scripted('a')]), factory: { id: 'plain', name: 'Plain' } };
beforeAll(async () => {
  caller = await Caller.open();
  const { yard } = caller;
  for (let n = 0; n < 3; n++) await yard.untilStatus(await yard.start(plain, 'sam'), 'completed');
  for (let n = 0; n < 2; n++) await yard.untilBlock(await yard.start(gated, 'rob'), 'a', 'waiting');
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

const list = async (query: string): Promise<Page> =>
  (await caller.call<Page>('GET', `/factory-run${query}`)).body;

/** Every page of a list, and how many runs each had. */
async function pages(query: string): Promise<{ runs: RunLine[]; sizes: number[] }> {
  const [runs, sizes]: [RunLine[], number[]] = [[], []];
  let page = await list(query);
  for (;;) {
    runs.push(...page.runs);
    sizes.push(page.runs.length);
    if (page.next_cursor === null) return { runs, sizes };
    page = await list(`${query}&cursor=${page.next_cursor}`);
  }
}

describe('the list of runs', () => {
  it('is read page by page, the newest first, each run once', async () => {
    const { runs, sizes } = await pages('?limit=2');
    expect(sizes).toEqual([2, 2, 1]);
    expect(runs).toEqual((await list('?limit=200')).runs);
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(5);
    const began = runs.map(({ started_at }) => started_at);
    expect(began).toEqual([...began].sort().reverse());
  });

  it('is not moved by runs that begin between two pages', async () => {
    const first = await list('?limit=3');
    const between = await caller.yard.start(plain, 'late');
    await caller.yard.untilStatus(between, 'completed');
    const second = await list(`?limit=3&cursor=${first.next_cursor ?? ''}`);
    expect([...first.runs, ...second.runs]).toHaveLength(5);
    expect([...first.runs, ...second.runs].map(({ run_id }) => run_id)).not.toContain(between);
  });

  it('is chosen by status, factory and starter', async () => {
    expect((await list('?factory=plain&started_by=sam')).runs).toHaveLength(3);
    expect((await list('?started_by=rob')).runs.map(({ status }) => status)).toEqual(['running', 'running']);
    const { runs, sizes } = await pages('?status=completed&started_by=sam&limit=2');
    expect(sizes).toEqual([2, 1]);
    expect(runs.every(({ status, factory: name }) => status === 'completed' && name === 'plain')).toBe(true);
    expect(await list('?status=paused')).toEqual({ runs: [], next_cursor: null });
  });

  it('refuses a query that it does not understand', async () => {
    for (const query of [
      '?limit=0',
      '?limit=201',
      '?status=waiting',
      '?cursor=%20',
      '?started=x',
      '?factory=',
    ]) {
      const { status, body } = await caller.call<RailyardError>('GET', `/factory-run${query}`);
      expect([status, body.code]).toEqual([400, 'INPUT_INVALID']);
    }
  });

  it('is read and chosen from while no worker is there', async () => {
    await caller.yard.stopWorker();
    await caller.yard.start(plain, 'eve');
    const all = await list('?started_by=eve');
    const chosen = await list('?status=running&started_by=eve');
    await caller.yard.startWorker();
    expect(all.runs.map(({ status }) => status)).toEqual(['running']);
    expect(chosen.runs).toEqual(all.runs);
  });
});
