import { describe, expect, it } from '@jest/globals';
import { err, ok } from 'neverthrow';
import { createLedgerActivities } from '../../activities';
import { ERRORS, problem, type ErrorCode } from '../../src/errors';
import { type Fact } from '../../src/ledger';
import { scene } from './scene';

const call = { run: 'r', epoch: 1, seen: 0 };
const note = (seq: number, by: string): Fact => ({ seq, at: seq, event: { type: 'pause', by } });

/** The activities over a ledger that reads these facts, or this error. */
const over = (facts: readonly Fact[] | ErrorCode) => {
  const read = typeof facts === 'string' ? err(problem(facts, 'no')) : ok(facts);
  const nobody = () => Promise.reject(new Error('nobody asked for this'));
  return createLedgerActivities({ read: () => Promise.resolve(read), record: nobody, standing: nobody });
};

describe('the activities of the ledger', () => {
  it('record, read and tell where the run stands', async () => {
    const here = scene('writes-file');
    const activities = createLedgerActivities(await here.ledger());
    const proposals = [
      { type: 'pause', by: 'rob' },
      { type: 'retry-block', block: 'b', by: 'rob' },
    ] as const;
    const recorded = await activities.recordFacts({ ...call, proposals });
    expect(recorded.judged).toMatchObject([{ ok: true }, { ok: false, error: { code: 'BLOCK_NOT_FAILED' } }]);
    expect(recorded).toMatchObject({ facts: [{ seq: 0, event: proposals[0] }], head: 1 });
    expect(await activities.readFacts(call)).toEqual({ facts: recorded.facts, head: 1 });
    expect(await activities.readFacts({ ...call, seen: 1 })).toEqual({ facts: [], head: 1 });
    expect(await activities.readStanding(call)).toMatchObject({ state: { status: 'pausing' }, seen: 1 });
  });

  it('carry no more facts at once than fit, and at least one', async () => {
    const half = 'x'.repeat(600_000);
    const facts = [note(0, half), note(1, half), note(2, 'small')];
    expect(await over(facts).readFacts(call)).toEqual({ facts: facts.slice(0, 1), head: 3 });
    const large = [note(0, half + half), note(1, 'small')];
    expect(await over(large).readFacts(call)).toEqual({ facts: large.slice(0, 1), head: 2 });
    expect((await over(facts.slice(1)).readFacts(call)).facts).toHaveLength(2);
  });

  it.each(Object.keys(ERRORS) as ErrorCode[])('throw %s with its envelope', async (code) => {
    const ends = [
      ...['SUPERSEDED', 'STORE_BEHIND', 'SESSION_CORRUPT', 'SESSION_NOT_FOUND', 'SESSION_UNKNOWN_VERSION'],
      ...['STORE_PLAN_INVALID', 'STORE_INVARIANT_VIOLATION'],
    ];
    await expect(over(code).readFacts(call)).rejects.toMatchObject({
      ...{ type: code, nonRetryable: ends.includes(code), details: [{ code }] },
    });
  });

  it('do not let anybody take a run up that somebody else drives', async () => {
    const ledger = await scene('writes-file').ledger();
    await ledger.takeOver('r', { workflowId: 'other', by: 'olga', restartDeadlines: false });
    await expect(createLedgerActivities(ledger).readStanding(call)).rejects.toMatchObject({
      type: 'SUPERSEDED',
    });
  });
});
