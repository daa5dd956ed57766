import { describe, expect, test } from '@jest/globals';
import { evaluateReadiness } from '../../../src/factory/walk';
import { artifact, block, failed, gate, plan, scored, succeeded, threshold, Walker } from './fixtures';

describe('starting blocks', () => {
  test('roots start at once, in plan order; the others are blocked', () => {
    const walk = new Walker(plan([block('c', { needs: ['b'] }), block('b'), block('a')]));
    expect(walk.effects).toEqual([
      { type: 'start-attempt', block: 'b', attempt: 1 },
      { type: 'start-attempt', block: 'a', attempt: 1 },
    ]);
    expect(walk.statuses).toBe('c:blocked b:running a:running');
    expect(walk.block('b').started_at).toBe('2026-01-01T12:00:00.000Z');
  });

  test('a block starts when the last of its dependencies is done', () => {
    const walk = new Walker(plan([block('a'), block('b'), block('c', { needs: ['a', 'b'] })]));
    walk.finish('a');
    expect(walk.status('c')).toBe('blocked');
    walk.finish('b');
    expect(walk.status('c')).toBe('running');
    walk.finish('c');
    expect(walk.state).toMatchObject({
      status: 'completed',
      endedAt: '2026-01-01T12:00:03.000Z',
      reason: null,
    });
  });

  test('a dependency that is done without the named artifact does not count, and the run says so', () => {
    const walk = new Walker(plan([block('a'), block('b', { needs: ['a'] })]));
    walk.finish('a', {
      kind: 'succeeded',
      artifacts: [artifact('other', 'aa')],
      metrics: {},
      notes: '',
      recordCounts: {},
    });
    expect(walk.statuses).toBe('a:done b:blocked');
    expect(walk.state).toMatchObject({ status: 'failed' });
    expect(walk.state.reason).toContain('needs the artifact "out", which block "a" did not leave');
  });

  test('a plan without blocks is completed at once', () => {
    expect(new Walker(plan([])).state.status).toBe('completed');
  });

  test('evaluateReadiness tells the status a block should have', () => {
    const walk = new Walker(
      plan([block('a'), block('b', { needs: ['a'] }), block('c', { before: gate() })], { g: 1 }),
    );
    const readiness = (id: string) => evaluateReadiness(walk.plan, walk.state, id);
    expect(['a', 'b', 'c'].map(readiness)).toEqual(['running', 'blocked', 'waiting']);
  });
});

describe('parallel groups', () => {
  const trio = (limits: Readonly<Record<string, number>>) =>
    new Walker(
      plan(
        ['a', 'b', 'c'].map((id) => block(id, { group: 'g' })),
        limits,
      ),
    );

  test('a group without a limit runs all its blocks at once', () => {
    expect(trio({}).statuses).toBe('a:running b:running c:running');
  });

  test('a limit holds the rest back until a place is free', () => {
    const walk = trio({ g: 2 });
    expect(walk.statuses).toBe('a:running b:running c:pending');
    walk.finish('b');
    expect(walk.statuses).toBe('a:running b:done c:running');
  });

  test('a retry takes its place again before a later block does', () => {
    const walk = trio({ g: 1 });
    walk.finish('a', failed());
    expect(walk.statuses).toBe('a:running b:pending c:pending');
  });

  test('a failed block leaves its siblings alone and stops only what depends on it', () => {
    const walk = new Walker(
      plan([
        block('a', { group: 'g', maxRetries: 0 }),
        block('b', { group: 'g' }),
        block('c', { needs: ['a'] }),
        block('d', { needs: ['b'] }),
      ]),
    );
    walk.finish('a', failed('timeout', 'took too long'));
    walk.finish('b');
    expect(walk.statuses).toBe('a:failed b:done c:blocked d:running');
    expect(walk.state.status).toBe('running');
    walk.finish('d');
    expect(walk.state).toMatchObject({ status: 'failed' });
    expect(walk.state.reason).toBe('Block "a" failed: took too long (attempt 1 of 1)');
  });
});

describe('retries', () => {
  test('two retries allow three executions', () => {
    const walk = new Walker(plan([block('a')]));
    expect(walk.finish('a', failed())).toMatchObject({ completion: { action: 'retry' } });
    expect(walk.block('a')).toMatchObject({ status: 'running', attempts: 1, attempt: 2, error: null });
    walk.finish('a', failed('missing_artifact', 'no out'));
    expect(walk.finish('a', failed())).toMatchObject({ completion: { action: 'failed', reason: 'error' } });
    expect(walk.block('a')).toMatchObject({ status: 'failed', attempts: 2, error: 'boom (attempt 3 of 3)' });
    expect(walk.block('a').history.map(({ attempt, failure }) => [attempt, failure])).toEqual([
      [1, 'error'],
      [2, 'missing_artifact'],
      [3, 'error'],
    ]);
    expect(walk.started).toEqual(['a#1', 'a#2', 'a#3']);
    expect(walk.trail('a')).toBe(
      'pending ready running failed pending ready running failed pending ready running failed',
    );
  });

  test('a cancelled attempt is never retried', () => {
    const walk = new Walker(plan([block('a')]));
    walk.finish('a', failed('cancelled', 'stopped'));
    expect(walk.block('a')).toMatchObject({ status: 'failed', failure: 'cancelled', error: 'stopped' });
  });

  test('the report of an attempt that is not running changes nothing', () => {
    const walk = new Walker(plan([block('a')]));
    walk.finish('a', failed());
    const { state } = walk;
    const late = { type: 'attempt-finished', outcome: succeeded() } as const;
    for (const event of [
      { ...late, block: 'a', attempt: 1 },
      { ...late, block: 'a', attempt: 3 },
      { ...late, block: 'nobody', attempt: 1 },
    ]) {
      expect(walk.send(event)).toMatchObject({ kind: 'ignored' });
      expect(walk.state).toBe(state);
      expect(walk.effects).toEqual([]);
    }
  });
});

test('a clone factory in small walks from its research to its tested clone', () => {
  const extractors = ['soul', 'voice', 'offer'].map((id) =>
    block(id, { needs: ['framework', 'research'], group: 'L2-extractors' }),
  );
  const walk = new Walker(
    plan([
      block('research', { group: 'L0-recon' }),
      block('recon', { group: 'L0-recon' }),
      block('framework', {
        needs: ['research', 'recon'],
        after: gate({ approvers: ['expert', 'product_lead'] }),
      }),
      ...extractors,
      block('compiler', { needs: ['soul', 'voice', 'offer'] }),
      block('tester', { needs: ['compiler'], thresholds: [threshold()], after: gate() }),
    ]),
  );
  walk.finish('recon');
  walk.finish('research');
  expect(walk.finish('framework')).toMatchObject({
    completion: { action: 'await_approval', gate: 'framework' },
  });
  expect(walk.started).toEqual(['research#1', 'recon#1', 'framework#1']);
  walk.decide({ block: 'framework', role: 'product_lead' });
  expect(walk.started.slice(3)).toEqual(['soul#1', 'voice#1', 'offer#1']);
  for (const id of ['offer', 'soul', 'voice', 'compiler']) walk.finish(id);
  walk.finish('tester', scored(80));
  walk.finish('tester', scored(91));
  expect(walk.status('tester')).toBe('waiting');
  walk.decide({ block: 'tester' });
  expect(walk.state.status).toBe('completed');
  expect(walk.trail('tester')).toBe(
    'pending blocked ready running failed pending ready running done waiting done',
  );
});
