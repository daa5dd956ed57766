import { describe, expect, test } from '@jest/globals';
import { block, failed, gate, plan, STARTER, succeeded, Walker } from './fixtures';

/** Block `a` has run and waits at its gate after. */
function waiting(rule = gate()): Walker {
  const walk = new Walker(plan([block('a', { after: rule }), block('b', { needs: ['a'] })]));
  walk.finish('a', succeeded('v1'));
  return walk;
}

describe('a decision is refused', () => {
  test('for a block the run does not have, though its name is one of JavaScript', () => {
    expect(waiting().refused({ block: 'x' }).code).toBe('BLOCK_NOT_FOUND');
    expect(waiting().refused({ block: 'constructor' }).code).toBe('BLOCK_NOT_FOUND');
  });

  test('for a run that has ended, with the outcome of its gate', () => {
    const walk = waiting();
    walk.decide();
    walk.finish('b');
    expect(walk.refused({ approver: 'bob' })).toMatchObject({
      code: 'RUN_ENDED',
      message: 'The run is completed.',
      details: { outcome: { by: 'ann' } },
    });
  });

  test('for a block without a gate, or without that one', () => {
    expect(waiting().refused({ block: 'b' }).code).toBe('GATE_NOT_FOUND');
    expect(waiting().refused({ gate: 'before' }).code).toBe('GATE_NOT_FOUND');
  });

  test('where two gates are possible, neither is open, and none is named', () => {
    const walk = new Walker(plan([block('a', { before: gate(), after: gate() })]));
    walk.decide();
    expect(walk.refused({ approver: 'bob' })).toMatchObject({ code: 'GATE_NOT_FOUND' });
    expect(walk.refused({ approver: 'bob', gate: 'before' }).code).toBe('GATE_ALREADY_DECIDED');
    expect(walk.decide({ approver: 'bob', gate: 'after' }).kind).toBe('kept');
  });

  test('for a role that is not among the approvers', () => {
    const walk = waiting(gate({ approvers: ['tech_lead'] }));
    expect(walk.refused()).toMatchObject({
      code: 'GATE_ROLE_REFUSED',
      details: { approvers: ['tech_lead'] },
    });
    expect(walk.decide({ role: 'tech_lead' }).kind).toBe('decided');
  });

  test('for the person who started the run, who may still reject it', () => {
    expect(waiting().refused({ approver: STARTER }).code).toBe('GATE_SELF_APPROVAL');
    expect(waiting().decide({ approver: STARTER, decision: 'reject' }).kind).toBe('decided');
    expect(waiting(gate({ selfApproval: true })).decide({ approver: STARTER }).kind).toBe('decided');
  });

  test('for an attempt that is over, and for one that has not been', () => {
    const walk = waiting();
    walk.decide({ decision: 'reject' });
    walk.finish('a');
    expect(walk.refused({ attempt: 1 })).toMatchObject({
      code: 'GATE_ATTEMPT_STALE',
      details: { attempt: 2 },
    });
    expect(walk.refused({ attempt: 3 }).code).toBe('GATE_ATTEMPT_STALE');
    expect(walk.decide({ attempt: 2 }).kind).toBe('decided');
  });

  test('for a gate that is closed, with who closed it', () => {
    const walk = waiting();
    walk.decide();
    expect(walk.refused({ approver: 'bob', decision: 'reject' })).toMatchObject({
      code: 'GATE_ALREADY_DECIDED',
      details: { attempt: 1, outcome: { decision: 'approved', by: 'ann' } },
    });
  });

  test('for artifacts that are not the current ones, in any order of the right ones it is taken', () => {
    expect(waiting().refused({ digests: ['sha256:v0'] }).code).toBe('GATE_EVIDENCE_STALE');
    expect(waiting().refused({ digests: [] }).code).toBe('GATE_EVIDENCE_STALE');
    expect(waiting().decide({ digests: ['sha256:v1', 'sha256:v1'] }).kind).toBe('decided');
  });

  test('at a gate before, for inputs that are not the current ones', () => {
    const walk = new Walker(plan([block('up'), block('a', { needs: ['up'], before: gate() })]));
    walk.finish('up', succeeded('in'));
    expect(walk.refused({ digests: ['sha256:other'] }).code).toBe('GATE_EVIDENCE_STALE');
    expect(walk.decide({ digests: ['sha256:in'] }).kind).toBe('decided');
  });

  test('for a block that failed before its gate could open', () => {
    const walk = new Walker(plan([block('a', { after: gate(), maxRetries: 0 }), block('b')]));
    walk.finish('a', failed());
    expect(walk.refused().code).toBe('GATE_UNREACHABLE');
  });

  test('early, while the run is being cancelled', () => {
    const walk = new Walker(plan([block('a', { after: gate() })]));
    walk.send({ type: 'cancel', by: 'p' });
    expect(walk.refused()).toMatchObject({
      code: 'RUN_ENDED',
      message: 'The run is being cancelled: Cancelled by p.',
    });
  });
});

describe('the checks come in their order', () => {
  const wrong = {
    role: 'nobody',
    approver: STARTER,
    attempt: 9,
    digests: ['sha256:old'],
  };

  test('role, own run, attempt, closed, digests', () => {
    const walk = waiting(gate({ approvers: ['expert'] }));
    expect(walk.refused(wrong).code).toBe('GATE_ROLE_REFUSED');
    expect(walk.refused({ ...wrong, role: 'expert' }).code).toBe('GATE_SELF_APPROVAL');
    expect(walk.refused({ ...wrong, role: 'expert', approver: 'bob' }).code).toBe('GATE_ATTEMPT_STALE');
    const last = { role: 'expert', approver: 'bob', digests: ['sha256:old'] };
    expect(walk.refused(last).code).toBe('GATE_EVIDENCE_STALE');
    walk.decide();
    expect(walk.refused(last).code).toBe('GATE_ALREADY_DECIDED');
  });
});

describe('the same id again', () => {
  test('gets the same answer and changes nothing, also after the run has ended', () => {
    const walk = waiting();
    const first = walk.decide({ id: 'once' });
    walk.finish('b');
    const { state } = walk;
    expect(walk.decide({ id: 'once' })).toEqual(first);
    expect(walk.state).toBe(state);
    expect(walk.effects).toEqual([]);
  });

  test('gets the same answer for a vote of a quorum and for an early decision', () => {
    const walk = new Walker(plan([block('a', { after: gate({ quorum: 2 }) })]));
    const kept = walk.decide({ id: 'early' });
    walk.finish('a');
    const counted = walk.decide({ id: 'more', approver: 'bob' });
    expect(counted).toMatchObject({ kind: 'decided' });
    expect(walk.decide({ id: 'early' })).toEqual(kept);
    expect(walk.decide({ id: 'more', approver: 'bob' })).toEqual(counted);
  });

  test('is no matter of prototypes', () => {
    expect(waiting().decide({ id: '__proto__' }).kind).toBe('decided');
    expect(waiting().decide({ id: 'constructor' }).kind).toBe('decided');
  });
});

describe('a quorum', () => {
  test('of two needs two people', () => {
    const walk = waiting(gate({ quorum: 2 }));
    expect(walk.decide()).toEqual({
      kind: 'counted',
      block: 'a',
      gate: 'after',
      attempt: 1,
      have: 1,
      need: 2,
    });
    expect(walk.refused({ role: 'tech_lead' }).code).toBe('GATE_VOTE_REPEATED');
    expect(walk.status('a')).toBe('waiting');
    expect(walk.decide({ approver: 'bob' }).kind).toBe('decided');
  });

  test('of all needs every role, each by another person', () => {
    const walk = waiting(gate({ quorum: 'all', approvers: ['expert', 'tech_lead'] }));
    expect(walk.decide()).toMatchObject({ have: 1, need: 2 });
    expect(walk.refused({ role: 'tech_lead' }).code).toBe('GATE_VOTE_REPEATED');
    expect(walk.decide({ approver: 'bob' })).toMatchObject({ kind: 'counted', have: 1, need: 2 });
    expect(walk.decide({ approver: 'cleo', role: 'tech_lead' }).kind).toBe('decided');
    expect(walk.lastGate.votes.map(({ approver }) => approver)).toEqual(['ann', 'bob', 'cleo']);
  });

  test('of all without named roles is one person', () => {
    expect(waiting(gate({ quorum: 'all' })).decide().kind).toBe('decided');
  });

  test('is broken by a single rejection, also of one who had approved', () => {
    const walk = waiting(gate({ quorum: 3 }));
    walk.decide();
    expect(walk.decide({ decision: 'reject', action: 'abort' })).toMatchObject({ decision: 'rejected' });
    expect(walk.status('a')).toBe('failed');
  });

  test('begins anew with every attempt', () => {
    const walk = waiting(gate({ quorum: 2 }));
    walk.decide();
    walk.decide({ approver: 'bob', decision: 'reject' });
    walk.finish('a', succeeded('v2'));
    expect(walk.decide()).toMatchObject({ kind: 'counted', have: 1, attempt: 2 });
  });
});
