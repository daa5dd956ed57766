/** Views of runs, made by hand and by chance, and what a client makes of the events between them. */
import fc from 'fast-check';
import { type RunChange } from '../../../api/sse/difference';
import { type BlockView, type GateView, type RunView } from '../../../api/run-view';

const STARTED = '2026-01-05T09:00:00.000Z';
const STATUSES: readonly BlockView['status'][] = [
  'pending',
  'ready',
  'running',
  'done',
  'failed',
  'blocked',
  'waiting',
];

export const block = (id: string, change: Partial<BlockView> = {}): BlockView => ({
  ...{ id, name: id, layer: 'L0', group: null, depends: [], status: 'pending', attempt: 1, attempts: 0 },
  ...{ started_at: null, ended_at: null, score: null, error: null, failure: null, metrics: {}, notes: '' },
  ...{ record_counts: {}, artifacts: [], history: [], feedback: [], warnings: [], waiting_for: null },
  ...{ trigger: null, next_tick: null, last_done: null },
  ...change,
});

export const gate = (id: string, attempt: number, change: Partial<GateView> = {}): GateView => ({
  ...{ block: id, gate: 'after', attempt, opened_at: STARTED, deadline: null, overdue: false, votes: [] },
  ...{ approvers: ['editor'], quorum: 'any', self_approval: false, outcome: null },
  ...change,
});

export const run = (blocks: readonly BlockView[], change: Partial<RunView> = {}): RunView => ({
  ...{
    run_id: 'r',
    factory: 'f',
    factory_hash: 'sha256:0',
    status: 'running',
    reason: null,
    orphaned: false,
    resume_with: null,
    started_by: 'sam',
  },
  ...{ started_at: STARTED, ended_at: null, workspace: '/w', parameters: {}, groups: [], gates: [] },
  counts: { pending: 0, ready: 0, running: 0, done: 0, failed: 0, blocked: 0, waiting: 0 },
  early_decisions: [],
  blocks: [...blocks],
  ...change,
});

/** Views that differ in what changes during a run, and now and then in more than that. */
export const anyView: fc.Arbitrary<RunView> = fc
  .record({
    blocks: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        status: fc.constantFrom(...STATUSES),
        attempt: fc.integer({ min: 1, max: 3 }),
        score: fc.option(fc.nat(100)),
      }),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
    gates: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b'),
        attempt: fc.integer({ min: 1, max: 2 }),
        overdue: fc.boolean(),
      }),
      { selector: ({ id, attempt }) => `${id} ${attempt}`, maxLength: 3 },
    ),
    status: fc.constantFrom<RunView['status']>('running', 'paused', 'failed', 'completed'),
  })
  .map(({ blocks, gates, status }) =>
    run(
      blocks.map(({ id, ...change }) => block(id, change)),
      { status, gates: gates.map(({ id, attempt, overdue }) => gate(id, attempt, { overdue })) },
    ),
  );

/** What a client that has a view makes of an event. */
export function heard(view: RunView, change: RunChange): RunView {
  switch (change.type) {
    case 'snapshot':
      return change.data;
    case 'run':
      return { ...change.data, blocks: view.blocks, gates: view.gates };
    case 'block': {
      const { run_id: _run, ...told } = change.data;
      return { ...view, blocks: view.blocks.map((one) => (one.id === told.id ? told : one)) };
    }
    case 'gate': {
      const { run_id: _run, ...told } = change.data;
      const isIt = (one: GateView): boolean =>
        one.block === told.block && one.gate === told.gate && one.attempt === told.attempt;
      return view.gates.some(isIt)
        ? { ...view, gates: view.gates.map((one) => (isIt(one) ? told : one)) }
        : { ...view, gates: [...view.gates, told] };
    }
  }
}
