import { describe, expect, test } from '@jest/globals';
import { block, failed, gate, plan, scored, succeeded, threshold, Walker } from './fixtures';

const pause = { type: 'pause', by: 'pia' } as const;
const resume = { type: 'resume', by: 'pia' } as const;
const cancel = { type: 'cancel', by: 'carl', reason: 'wrong expert' } as const;

describe('a pause', () => {
  test('lets what runs end, starts nothing, and goes on where it was', () => {
    const walk = new Walker(plan([block('a'), block('b', { needs: ['a'] }), block('c', { needs: ['b'] })]));
    expect(walk.send(pause)).toEqual({ kind: 'run', status: 'pausing', changed: true });
    expect(walk.state.reason).toBe('Paused by pia');
    walk.finish('a');
    expect(walk.state.status).toBe('paused');
    expect(walk.statuses).toBe('a:done b:pending c:blocked');
    expect(walk.send(resume)).toEqual({ kind: 'run', status: 'running', changed: true });
    expect(walk.statuses).toBe('a:done b:running c:blocked');
    expect(walk.state.reason).toBeNull();
  });

  test('is there at once where nothing runs, and gates are decided in it', () => {
    const walk = new Walker(plan([block('a', { before: gate() }), block('b', { needs: ['a'] })]));
    expect(walk.send(pause)).toMatchObject({ status: 'paused' });
    walk.decide();
    expect(walk.status('a')).toBe('pending');
    expect(walk.started).toEqual([]);
    walk.send(resume);
    expect(walk.trail('a')).toBe('pending waiting pending ready running');
    expect(walk.state.gates).toHaveLength(1);
  });

  test('holds a retry back', () => {
    const walk = new Walker(plan([block('a')]));
    walk.send(pause);
    walk.finish('a', failed());
    expect(walk.block('a')).toMatchObject({ status: 'pending', attempt: 2, attempts: 1 });
    expect(walk.state.status).toBe('paused');
  });

  test('opens no gate before', () => {
    const walk = new Walker(plan([block('up'), block('a', { needs: ['up'], before: gate() })]));
    walk.send(pause);
    walk.finish('up');
    expect(walk.status('a')).toBe('pending');
    walk.send(resume);
    expect(walk.status('a')).toBe('waiting');
  });

  test('ends with the run, when there is nothing more to do', () => {
    const done = new Walker(plan([block('a')]));
    done.send(pause);
    done.finish('a');
    expect(done.state).toMatchObject({ status: 'completed', reason: null });
    const lost = new Walker(plan([block('a', { maxRetries: 0 })]));
    lost.send(pause);
    lost.finish('a', failed());
    expect(lost.state.status).toBe('failed');
  });

  test('asked for twice, or a resume of what runs, changes nothing', () => {
    const walk = new Walker(plan([block('a')]));
    expect(walk.send(resume)).toEqual({ kind: 'run', status: 'running', changed: false });
    walk.send(pause);
    const { state } = walk;
    expect(walk.send({ ...pause, by: 'other' })).toEqual({ kind: 'run', status: 'pausing', changed: false });
    expect(walk.state).toBe(state);
  });
});

describe('a cancel', () => {
  test('stops what runs, closes what is open, and is complete when all have reported', () => {
    const walk = new Walker(
      plan(
        [
          block('a'),
          block('b', { before: gate({ timeoutMs: 1000 }) }),
          block('c', { needs: ['a'] }),
          block('d', { group: 'g' }),
          block('e', { group: 'g' }),
        ],
        { g: 1 },
      ),
    );
    expect(walk.send(cancel)).toEqual({ kind: 'run', status: 'cancelling', changed: true });
    expect(walk.effects).toEqual([
      { type: 'cancel-attempt', block: 'a', attempt: 1 },
      { type: 'stop-gate-timer', block: 'b', gate: 'before', attempt: 1 },
      { type: 'cancel-attempt', block: 'd', attempt: 1 },
    ]);
    expect(walk.statuses).toBe('a:running b:failed c:blocked d:running e:pending');
    expect(walk.block('b')).toMatchObject({ failure: 'cancelled' });
    expect(walk.lastGate.outcome).toMatchObject({ decision: 'cancelled', via: 'cancel', by: 'carl' });
    expect(walk.refused({ block: 'b' }).code).toBe('GATE_ALREADY_DECIDED');
    walk.finish('a', failed('cancelled', 'stopped'));
    expect(walk.state.status).toBe('cancelling');
    walk.finish('d', failed());
    expect(walk.status('e')).toBe('pending');
    expect(walk.block('d').error).toBe('boom (attempt 1 of 3; the run is being cancelled)');
    expect(walk.state).toMatchObject({ status: 'cancelled', reason: 'Cancelled by carl: wrong expert' });
    expect(walk.state.endedAt).not.toBeNull();
  });

  test('is complete at once where nothing runs, also in a pause', () => {
    const walk = new Walker(plan([block('a', { before: gate() })]));
    walk.send(pause);
    expect(walk.send({ type: 'cancel', by: 'carl' })).toMatchObject({ status: 'cancelled' });
    expect(walk.state.reason).toBe('Cancelled by carl');
  });

  test('does not open a gate for a block that ends well all the same', () => {
    const walk = new Walker(plan([block('a', { after: gate() }), block('b')]));
    walk.send(cancel);
    walk.finish('a');
    walk.finish('b');
    expect(walk.statuses).toBe('a:failed b:done');
    expect(walk.block('a')).toMatchObject({ failure: 'cancelled' });
    expect(walk.state.gates).toEqual([]);
  });

  test('does not retry a missed threshold', () => {
    const walk = new Walker(plan([block('a', { thresholds: [threshold()] })]));
    walk.send(cancel);
    walk.finish('a', scored(1));
    expect(walk.block('a')).toMatchObject({ status: 'failed', failure: 'threshold_not_met' });
  });

  test('asked for twice changes nothing; what else is asked is refused', () => {
    const walk = new Walker(plan([block('a')]));
    walk.send(cancel);
    expect(walk.send(cancel)).toEqual({ kind: 'run', status: 'cancelling', changed: false });
    expect([pause, resume].map((event) => walk.refusal(event).code)).toEqual(['RUN_ENDED', 'RUN_ENDED']);
    walk.finish('a', failed('cancelled'));
    expect(walk.send(cancel)).toEqual({ kind: 'run', status: 'cancelled', changed: false });
    expect(walk.refusal({ type: 'retry-block', block: 'a', by: 'rob' }).code).toBe('RUN_ENDED');
  });
});

test('a failed run can be cancelled: nobody will retry it', () => {
  const walk = new Walker(plan([block('a', { maxRetries: 0 }), block('b', { needs: ['a'] })]));
  walk.finish('a', failed());
  expect(walk.send(cancel)).toEqual({ kind: 'run', status: 'cancelled', changed: true });
  expect(walk.state.reason).toMatch(/^Cancelled by carl: wrong expert \(Block "a" failed/);
  expect(walk.refusal({ type: 'retry-block', block: 'a', by: 'rob' }).code).toBe('RUN_ENDED');
});

test('a run that has ended can be neither paused, resumed nor cancelled', () => {
  const walk = new Walker(plan([block('a')]));
  walk.finish('a');
  expect([pause, resume, cancel].map((event) => walk.refusal(event).code)).toEqual(
    Array(3).fill('RUN_ENDED'),
  );
});

describe('the retry of a failed block', () => {
  const retry = { type: 'retry-block', block: 'a', by: 'rob' } as const;

  function lost(): Walker {
    const walk = new Walker(plan([block('a'), block('b', { needs: ['a'] })]));
    for (let times = 0; times < 3; times += 1) walk.finish('a', failed());
    return walk;
  }

  test('reopens a failed run, with a fresh budget and the next attempt number', () => {
    const walk = lost();
    expect(walk.state.status).toBe('failed');
    expect(walk.send(retry)).toEqual({ kind: 'retrying', block: 'a', attempt: 4 });
    expect(walk.block('a')).toMatchObject({ status: 'running', attempts: 0, attempt: 4, error: null });
    expect(walk.state).toMatchObject({ status: 'running', endedAt: null, reason: null });
    walk.finish('a', failed());
    expect(walk.status('a')).toBe('running');
    walk.finish('a', succeeded());
    walk.finish('b');
    expect(walk.state.status).toBe('completed');
    expect(walk.block('a').history).toHaveLength(5);
  });

  test('runs while a sibling waits at a gate', () => {
    const walk = new Walker(plan([block('a', { maxRetries: 0 }), block('b', { after: gate() })]));
    walk.finish('b');
    walk.finish('a', failed());
    expect(walk.state.status).toBe('running');
    walk.send(retry);
    expect(walk.statuses).toBe('a:running b:waiting');
  });

  test('waits for the end of a pause', () => {
    const walk = new Walker(plan([block('a', { maxRetries: 0 }), block('b')]));
    walk.finish('a', failed());
    walk.send(pause);
    walk.send(retry);
    expect(walk.statuses).toBe('a:pending b:running');
  });

  test('is refused for a block that has not failed, and for an unknown one', () => {
    const walk = new Walker(plan([block('a')]));
    expect(walk.refusal(retry).code).toBe('BLOCK_NOT_FAILED');
    expect(walk.refusal({ ...retry, block: 'x' }).code).toBe('BLOCK_NOT_FOUND');
    walk.finish('a');
    expect(walk.refusal(retry).code).toBe('RUN_ENDED');
  });
});
