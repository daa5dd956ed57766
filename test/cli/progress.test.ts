import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type BlockView, type RunView } from '../../api/run-view';
import { changes } from '../../cli/progress';

const STARTED = '2026-01-05T09:00:00.000Z';

function block(id: string, change: Partial<BlockView> = {}): BlockView {
  return {
    id,
    name: id,
    layer: 'L0',
    group: null,
    depends: [],
    status: 'pending',
    attempt: 1,
    attempts: 0,
    started_at: null,
    ended_at: null,
    score: null,
    error: null,
    failure: null,
    metrics: {},
    notes: '',
    record_counts: {},
    artifacts: [],
    history: [],
    feedback: [],
    warnings: [],
    trigger: null,
    next_tick: null,
    last_done: null,
    waiting_for: null,
    ...change,
  };
}

function run(blocks: BlockView[], change: Partial<RunView> = {}): RunView {
  return {
    run_id: 'r',
    factory: 'f',
    factory_hash: 'sha256:0',
    status: 'running',
    reason: null,
    orphaned: false,
    resume_with: null,
    started_by: 'sam',
    started_at: STARTED,
    ended_at: null,
    workspace: '/w',
    parameters: {},
    counts: { pending: 0, ready: 0, running: 0, done: 0, failed: 0, blocked: 0, waiting: 0 },
    groups: [],
    blocks,
    gates: [],
    early_decisions: [],
    ...change,
  };
}

type Attempt = BlockView['history'][number];

const failed = (attempt: number, error: string): Attempt => ({
  attempt,
  started_at: STARTED,
  ended_at: STARTED,
  score: null,
  metrics: {},
  failure: 'error',
  error,
});

const group = (name: string, done: number): RunView['groups'][number] => ({
  ...{ name, done, failed: 0, running: 0, waiting: 0, total: 3 },
  text: `${name}: ${done}/3 done`,
});

const openGate = (id: string, approvers: string[]): RunView['gates'][number] => ({
  ...{ block: id, gate: 'after', attempt: 1, opened_at: STARTED, deadline: null, overdue: false },
  ...{ votes: [], approvers, quorum: 'any', self_approval: false, outcome: null },
});

/** Whatever the terminal of the tests can show. */
const lines = (before: RunView | null, after: RunView): string[] =>
  changes(before, after).map((line) => stripVTControlCharacters(line));

describe('between two looks at a run', () => {
  it('nothing is said of what stayed as it was', () => {
    const now = run([block('a', { status: 'running' }), block('b')], { groups: [group('g', 1)] });
    expect(lines(now, now)).toEqual([]);
  });

  it('a block is said to run and to be done, its id in a column; what only waits its turn is not', () => {
    const first = run([block('a', { status: 'running' }), block('longer'), block('c', { status: 'ready' })]);
    expect(lines(null, first)).toEqual(['  a       running']);
    const done = block('a', {
      ...{ status: 'done', score: 0.9 },
      ...{ started_at: STARTED, ended_at: '2026-01-05T09:00:01.250Z' },
    });
    const second = run([done, block('longer', { status: 'running' }), block('c', { status: 'blocked' })]);
    expect(lines(first, second)).toEqual(['  a       done in 1.3 s, score 0.9', '  longer  running']);
  });

  it('attempts that failed are told, though the next one is already on its way', () => {
    const before = run([block('a', { status: 'running' })]);
    const history = [failed(1, 'no ink'), failed(2, 'no paper')];
    const after = run([block('a', { status: 'running', attempt: 3, history })]);
    expect(lines(before, after)).toEqual([
      '  a  attempt 1 failed: no ink',
      '  a  attempt 2 failed: no paper',
      '  a  running (attempt 3)',
    ]);
    expect(lines(after, after)).toEqual([]);
  });

  it('the last failure of a block is told once: as its end', () => {
    const before = run([block('a', { status: 'running', attempt: 2, history: [failed(1, 'no ink')] })]);
    const history = [failed(1, 'no ink'), failed(2, 'no paper')];
    const end = block('a', { status: 'failed', attempt: 2, history, error: 'no paper', failure: 'error' });
    expect(lines(before, run([end]))).toEqual(['  a  failed: no paper']);
    expect(lines(null, run([end]))).toEqual(['  a  attempt 1 failed: no ink', '  a  failed: no paper']);
  });

  it('a block that waits is told with its approvers and the command to type', () => {
    const before = run([block('a', { status: 'running' })]);
    const waiting = [block('a', { status: 'waiting' })];
    expect(lines(before, run(waiting, { gates: [openGate('a', ['editor', 'owner'])] }))).toEqual([
      '  a  waits for editor or owner: railyard approve r a --role editor',
    ]);
    expect(lines(before, run(waiting, { gates: [openGate('a', [])] }))).toEqual([
      '  a  waits for an approver: railyard approve r a --role ROLE',
    ]);
  });

  it('a block that waits again after a rejection is told again', () => {
    const gates = [openGate('a', ['editor'])];
    const before = run([block('a', { status: 'waiting' })], { gates });
    const history: Attempt[] = [{ ...failed(1, 'Rejected by ann: shorter'), failure: 'gate_rejected' }];
    const after = run([block('a', { status: 'waiting', attempt: 2, history })], { gates });
    expect(lines(before, after)).toEqual([
      '  a  attempt 1 failed: Rejected by ann: shorter',
      '  a  waits for editor: railyard approve r a --role editor',
    ]);
  });

  it('a group is told when another of its blocks is done', () => {
    const at = (done: number): RunView => run([block('a')], { groups: [group('g', done), group('h', 0)] });
    expect(lines(null, at(0))).toEqual([]);
    expect(lines(at(0), at(2))).toEqual(['  g: 2/3 done']);
    expect(lines(at(2), at(2))).toEqual([]);
  });

  it('the state of the run comes last, with its reason; not at the first look', () => {
    const before = run([block('a', { status: 'running' })]);
    const after = run([block('a', { status: 'failed', error: 'no ink' })], {
      status: 'failed',
      reason: 'Block a failed',
    });
    expect(lines(before, after)).toEqual(['  a  failed: no ink', 'run r is failed: Block a failed']);
    expect(lines(after, run(after.blocks, { status: 'completed' }))).toEqual(['run r is completed']);
    expect(lines(null, after)).toEqual(['  a  failed: no ink']);
  });
});
