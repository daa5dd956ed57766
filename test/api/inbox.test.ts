import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RailyardError } from '../../src/errors';
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { Caller } from './caller';

interface Page {
  readonly gates: readonly Record<string, unknown>[];
  readonly total: number;
  readonly next_cursor: string | null;
  readonly unread: readonly string[];
}

let caller: Caller;
const runs: string[] = [];
const template = factory(
  [
    scripted('draft', {
      script: [{ metrics: { score: 70 } }, { metrics: { score: 85 }, text: 'é'.repeat(2_000) }],
    }),
    scripted('ship', { needs: ['draft'] }),
    scripted('post', { needs: ['draft'] }),
  ],
  {
    human_gates: [
      gateAfter('draft', { quorum: 2, approvers: ['editor', 'expert'] }),
      gateBefore('ship', { approvers: ['expert'] }),
      gateBefore('post', { approvers: [] }),
    ],
  },
);

beforeAll(async () => {
  caller = await Caller.open();
  const { yard } = caller;
  for (let n = 0; n < 2; n++) {
    const run = await yard.start(template);
    await yard.untilBlock(run, 'draft', 'waiting');
    runs.push(run);
  }
  const [first = ''] = runs;
  await yard.decide(first, 'draft', { decision: 'reject', action: 'retry', feedback: 'Warmer, please.' });
  await yard.until(first, ({ gates }) => gates.some(({ attempt }) => attempt === 2));
});
afterAll(async () => {
  for (const run of runs) await caller.yard.control(run, { type: 'cancel', by: 'sam' });
  await caller.close();
  expect(caller.faults).toEqual([]);
});

const inbox = async (query: string): Promise<Page> => {
  const { status, body } = await caller.call<Page>('GET', `/gate${query}`);
  expect(status).toBe(200);
  return body;
};

describe('the inbox', () => {
  it('shows what waits for a role since when, with all there is to judge by', async () => {
    const [first = ''] = runs;
    const page = await inbox(`?role=editor&run=${first}`);
    expect(page).toMatchObject({ total: 1, next_cursor: null, unread: [] });
    const [gate] = page.gates;
    expect(gate).toMatchObject({
      run_id: first,
      block: 'draft',
      gate: 'after',
      attempt: 2,
      approvers: ['editor', 'expert'],
      quorum: 2,
      votes: [],
      overdue: false,
      deadline: null,
      outcome: null,
      opened_at: expect.stringMatching(/^\d{4}-/),
      waiting_for: expect.stringContaining('0 of 2 approvals'),
      attempts: [
        { attempt: 1, score: null, metrics: { score: 70 }, failure: 'gate_rejected' },
        { attempt: 2, metrics: { score: 85 } },
      ],
      feedback: [{ attempt: 1, from: 'ann', text: 'Warmer, please.' }],
      inputs: [],
      outputs: [
        {
          block: 'draft',
          key: 'out',
          bytes: 4_000,
          url: `/api/a360/factory-run/${first}/artifact/draft/out`,
          preview: { text: 'é'.repeat(1_024), cut: true },
        },
      ],
    });
  });

  it('gives the digests that a decision sends back', async () => {
    const [, second = ''] = runs;
    const [gate] = (await inbox(`?run=${second}`)).gates;
    const vote = { approver: 'ann', role: 'editor', attempt: gate?.attempt, digests: gate?.digests };
    const answer = await caller.call('POST', `/factory-run/${second}/gate/draft/approve`, vote);
    expect(answer.body).toMatchObject({ kind: 'counted', have: 1, need: 2 });
    expect((await inbox(`?run=${second}`)).gates).toMatchObject([
      { votes: [{ approver: 'ann', role: 'editor' }] },
    ]);
  });

  it('shows inputs before a block, and a gate without approvers to every role', async () => {
    const [, second = ''] = runs;
    await caller.yard.decide(second, 'draft', { approver: 'bob', role: 'expert' });
    await caller.yard.untilBlock(second, 'ship', 'waiting');
    const forExperts = await inbox(`?role=expert&run=${second}`);
    expect(forExperts.gates.map(({ block }) => block).sort()).toEqual(['post', 'ship']);
    expect(forExperts.gates[0]).toMatchObject({
      gate: 'before',
      inputs: [{ block: 'draft', key: 'out', preview: { text: 'draft attempt 1\n', cut: false } }],
      outputs: [],
      attempts: [],
    });
    expect((await inbox(`?role=editor&run=${second}`)).gates).toMatchObject([{ block: 'post' }]);
  });

  it('is read page by page, the longest wait first', async () => {
    const whole = await inbox('');
    expect(whole.total).toBe(3);
    const paged: unknown[] = [];
    for (let cursor = ''; ;) {
      const page = await inbox(`?limit=1${cursor}`);
      expect(page.total).toBe(3);
      paged.push(...page.gates);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(paged).toEqual(whole.gates);
    const since = whole.gates.map(({ opened_at }) => String(opened_at));
    expect(since).toEqual([...since].sort());
    expect((await inbox('?overdue=true')).gates).toEqual([]);
  });

  it('is not changed by being read', async () => {
    const views = (): Promise<unknown> => Promise.all(runs.map((run) => caller.yard.view(run)));
    const before = await views();
    expect(await inbox('')).toEqual(await inbox(''));
    expect(await views()).toEqual(before);
  });

  it('refuses a query that it does not understand', async () => {
    for (const query of ['?limit=0', '?overdue=maybe', '?cursor=%20', '?roles=x', '?run=..', '?role=']) {
      const { status, body } = await caller.call<RailyardError>('GET', `/gate${query}`);
      expect([status, body.code]).toEqual([400, 'INPUT_INVALID']);
    }
  });
});

describe('the evidence of one gate', () => {
  it('is found by run and block, also after the decision', async () => {
    const [first = '', second = ''] = runs;
    const open = await caller.call('GET', `/factory-run/${first}/gate/draft`);
    expect(open.body).toEqual((await inbox(`?run=${first}`)).gates[0]);
    const closed = await caller.call('GET', `/factory-run/${second}/gate/draft`);
    expect(closed.body).toMatchObject({ waiting_for: null, outcome: { decision: 'approved', by: 'bob' } });
  });

  it('is not there for a block without one', async () => {
    const [first = ''] = runs;
    const code = async (path: string): Promise<string> =>
      (await caller.call<RailyardError>('GET', path)).body.code;
    expect(await code(`/factory-run/${first}/gate/ship`)).toBe('GATE_NOT_FOUND');
    expect(await code(`/factory-run/${first}/gate/nobody`)).toBe('BLOCK_NOT_FOUND');
    expect(await code('/factory-run/nobody/gate/draft')).toBe('RUN_NOT_FOUND');
  });
});

describe('while no worker is there', () => {
  it('the inbox still shows what waits', async () => {
    const before = await inbox('');
    await caller.yard.stopWorker();
    const gates = await inbox('');
    await caller.yard.startWorker();
    expect(gates).toEqual(before);
  });
});
