import { describe, expect, test } from '@jest/globals';
import { block, failed, gate, plan, succeeded, Walker } from './fixtures';

const HOUR = 3_600_000;
const timed = { timeoutMs: HOUR };

const after = (rule = gate(), maxRetries = 2) =>
  new Walker(plan([block('a', { after: rule, maxRetries }), block('b', { needs: ['a'] })]));

/** Block `a` needs `up` and has a gate before it, which is open. */
function before(rule = gate()): Walker {
  const walk = new Walker(plan([block('up'), block('a', { needs: ['up'], before: rule })]));
  walk.finish('up', succeeded('in'));
  return walk;
}

describe('a gate after', () => {
  test('opens when the block has run, and its approval lets the others start', () => {
    const walk = after();
    walk.finish('a', succeeded('v1'));
    expect(walk.statuses).toBe('a:waiting b:blocked');
    expect(walk.lastGate).toMatchObject({
      block: 'a',
      gate: 'after',
      attempt: 1,
      deadline: null,
      outcome: null,
    });
    expect(walk.decide({ notes: 'fine' })).toEqual({
      kind: 'decided',
      block: 'a',
      gate: 'after',
      attempt: 1,
      decision: 'approved',
      via: 'decision',
    });
    expect(walk.statuses).toBe('a:done b:running');
    expect(walk.lastGate.outcome).toMatchObject({
      by: 'ann',
      role: 'expert',
      notes: 'fine',
      evidence: ['a/out=sha256:v1'],
    });
    expect(walk.trail('a')).toBe('pending ready running done waiting done');
  });

  test('rejected with a retry runs the block again, with the feedback', () => {
    const walk = after();
    walk.finish('a');
    walk.decide({ decision: 'reject', feedback: 'Shorter' });
    expect(walk.block('a')).toMatchObject({ status: 'running', attempts: 1, attempt: 2, artifacts: [] });
    expect(walk.block('a').feedback).toEqual([{ attempt: 1, from: 'ann', role: 'expert', text: 'Shorter' }]);
    expect(walk.block('a').history).toMatchObject([{ attempt: 1, failure: 'gate_rejected' }]);
    expect(walk.trail('a')).toBe('pending ready running done waiting pending ready running');
  });

  test('rejected with no retry left fails the block and says so', () => {
    const walk = after(gate(), 0);
    walk.finish('a');
    walk.decide({ decision: 'reject' });
    expect(walk.block('a')).toMatchObject({
      status: 'failed',
      failure: 'gate_rejected',
      error: 'The gate after was rejected by ann (expert) (attempt 1 of 1)',
    });
  });

  test('rejected with abort fails the block though retries are left', () => {
    const walk = after();
    walk.finish('a');
    walk.decide({ decision: 'reject', action: 'abort' });
    expect(walk.block('a')).toMatchObject({ status: 'failed', failure: 'gate_rejected', attempts: 0 });
    expect(walk.state.status).toBe('failed');
  });
});

describe('a gate before', () => {
  test('opens when the dependencies are met, and its approval starts the block', () => {
    const walk = before();
    expect(walk.statuses).toBe('up:done a:waiting');
    walk.decide();
    expect(walk.status('a')).toBe('running');
    expect(walk.lastGate.outcome?.evidence).toEqual(['up/out=sha256:in']);
    expect(walk.trail('a')).toBe('pending blocked waiting ready running');
  });

  test('approved while the group is full leaves the block to wait for its turn', () => {
    const walk = new Walker(
      plan([block('up', { group: 'g' }), block('a', { group: 'g', before: gate() })], { g: 1 }),
    );
    walk.decide();
    expect(walk.status('a')).toBe('pending');
    walk.finish('up');
    expect(walk.trail('a')).toBe('pending waiting pending ready running');
  });

  test('rejected uses up a retry and opens again for the next attempt', () => {
    const walk = before();
    walk.decide({ decision: 'reject', feedback: 'Not yet' });
    expect(walk.block('a')).toMatchObject({ status: 'waiting', attempts: 1, attempt: 2 });
    expect(walk.block('a').feedback).toHaveLength(1);
    expect(walk.started).toEqual(['up#1']);
    walk.decide({ attempt: 2 });
    expect(walk.started).toEqual(['up#1', 'a#2']);
  });

  test('is not asked again for a retry with the same inputs: its approval stands', () => {
    const walk = before();
    walk.decide();
    walk.finish('a', failed());
    expect(walk.block('a')).toMatchObject({ status: 'running', attempt: 2 });
    expect(walk.lastGate).toMatchObject({ attempt: 2, outcome: { via: 'standing', by: 'ann' } });
    walk.finish('a', failed());
    expect(walk.lastGate).toMatchObject({ attempt: 3, outcome: { via: 'standing', by: 'ann' } });
  });

  test('does open again where a rejection is already on the table', () => {
    const walk = before();
    walk.decide();
    walk.send({ type: 'pause', by: 'p' });
    walk.finish('a', failed());
    expect(walk.decide({ decision: 'reject', action: 'abort', attempt: 2 }).kind).toBe('kept');
    walk.send({ type: 'resume', by: 'p' });
    expect(walk.block('a')).toMatchObject({ status: 'failed', failure: 'gate_rejected' });
  });
});

test('a decision that names no attempt does not pass on to the one after', () => {
  const walk = after(gate());
  walk.finish('a');
  walk.decide({ decision: 'reject' });

  expect(walk.refused({ approver: 'bob' })).toMatchObject({
    code: 'GATE_ATTEMPT_STALE',
    details: { attempt: 2 },
  });
  expect(walk.decide({ approver: 'bob', attempt: 2 }).kind).toBe('kept');
});

test('an approval that a rejection followed does not stand', () => {
  const walk = before();
  walk.decide();
  walk.send({ type: 'pause', by: 'p' });
  walk.finish('a', failed());
  walk.decide({ decision: 'reject', attempt: 2 });
  walk.send({ type: 'resume', by: 'p' });
  expect(walk.block('a')).toMatchObject({ status: 'waiting', attempt: 3 });
});

describe('a deadline', () => {
  test('is a timer, which a decision stops', () => {
    const walk = after(gate(timed));
    walk.finish('a');
    const opening = { block: 'a', gate: 'after', attempt: 1 };
    expect(walk.effects).toEqual([{ type: 'start-gate-timer', ...opening, afterMs: HOUR }]);
    expect(walk.lastGate.deadline).toBe('2026-01-01T13:00:01.000Z');
    walk.decide();
    expect(walk.effects[0]).toEqual({ type: 'stop-gate-timer', ...opening });
  });

  test('that passes marks the gate overdue and leaves it open', () => {
    const walk = after(gate(timed));
    walk.finish('a');
    expect(walk.timeOut('a', 'after')).toMatchObject({ kind: 'timed-out', result: 'overdue' });
    expect(walk.lastGate).toMatchObject({ overdue: true, outcome: null });
    walk.decide();
    expect(walk.status('a')).toBe('done');
    expect(walk.effects).not.toContainEqual(expect.objectContaining({ type: 'stop-gate-timer' }));
  });

  test('approves where the gate says so', () => {
    const walk = after(gate({ ...timed, autoApproveOnTimeout: true }));
    walk.finish('a');
    expect(walk.timeOut('a', 'after')).toMatchObject({ result: 'approved' });
    expect(walk.statuses).toBe('a:done b:running');
    expect(walk.lastGate.outcome).toMatchObject({ decision: 'approved', via: 'timeout', by: 'timeout' });
  });

  test('of another or a closed opening changes nothing', () => {
    const walk = after(gate({ ...timed, autoApproveOnTimeout: true }));
    const ignored = { kind: 'ignored' };
    expect(walk.timeOut('a', 'after')).toMatchObject(ignored);
    walk.finish('a');
    walk.decide({ decision: 'reject' });
    walk.finish('a');
    expect(walk.timeOut('a', 'after', 1)).toMatchObject(ignored);
    expect(walk.timeOut('a', 'before')).toMatchObject(ignored);
    expect(walk.status('a')).toBe('waiting');
    walk.decide();
    expect(walk.timeOut('a', 'after', 2)).toMatchObject(ignored);
    expect(walk.send({ type: 'gate-timeout', block: 'x', gate: 'after', attempt: 1 })).toMatchObject(ignored);
  });
});

describe('an early decision', () => {
  test('is kept, and applied when the gate opens, without a timer', () => {
    const walk = after(gate(timed));
    expect(walk.decide({ attempt: 1 })).toEqual({ kind: 'kept', block: 'a', gate: 'after' });
    expect(walk.finish('a')).toMatchObject({ completion: { action: 'continue' } });
    expect(walk.statuses).toBe('a:done b:running');
    expect(walk.effects).toEqual([{ type: 'start-attempt', block: 'b', attempt: 1 }]);
    expect(walk.state.early).toEqual([]);
  });

  test('of the same person replaces the earlier one', () => {
    const walk = after();
    walk.decide();
    walk.decide({ decision: 'reject', action: 'abort' });
    expect(walk.state.early).toHaveLength(1);
    walk.finish('a');
    expect(walk.status('a')).toBe('failed');
  });

  test('for an attempt that is over is dropped with a warning', () => {
    const walk = after();
    walk.decide({ attempt: 1 });
    walk.finish('a', failed());
    walk.finish('a');
    expect(walk.status('a')).toBe('waiting');
    expect(walk.block('a').warnings[0]).toContain('it was made for attempt 1, this is 2');
  });

  test('for other artifacts is dropped with a warning', () => {
    const walk = after();
    walk.decide({ digests: ['sha256:old'] });
    walk.finish('a', succeeded('new'));
    expect(walk.status('a')).toBe('waiting');
    expect(walk.block('a').warnings[0]).toContain('other artifacts');
  });

  test('that comes second finds the gate closed, and the block says so', () => {
    const walk = after();
    walk.decide();
    walk.decide({ approver: 'bob', decision: 'reject' });
    walk.finish('a');
    expect(walk.status('a')).toBe('done');
    expect(walk.block('a').warnings[0]).toContain('The early decision of bob');
  });

  test('counts towards a quorum', () => {
    const walk = after(gate({ quorum: 2 }));
    walk.decide();
    walk.finish('a');
    expect(walk.lastGate.votes).toHaveLength(1);
    walk.decide({ approver: 'bob' });
    expect(walk.status('a')).toBe('done');
  });

  test('at a gate before starts the block as its dependencies are met', () => {
    const walk = new Walker(plan([block('up'), block('a', { needs: ['up'], before: gate() })]));
    walk.decide();
    walk.finish('up');
    expect(walk.trail('a')).toBe('pending blocked waiting ready running');
  });
});
