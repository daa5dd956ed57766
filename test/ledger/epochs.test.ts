import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { block, decision, gate, NOON, plan, succeeded } from '../factory/walk/fixtures';
import { codeOf, unwrap } from '../workrail/local/fixtures';
import { propose, RUN, scene, SESSION, start, stored, type Scene } from './scene';

const TIMEOUT_MS = 60_000;
const driver = { workflowId: 'elsewhere', by: 'olga', restartDeadlines: true };
const approval = { type: 'gate-decision', decision: decision({ id: 'd1' }) } as const;

describe('a run', () => {
  let at: Scene;
  beforeEach(async () => {
    at = await scene(plan([block('a', { after: gate({ timeoutMs: TIMEOUT_MS }) }), block('b')]), NOON);
    const ledger = at.ledger();
    unwrap(await start(at, ledger));
    const outcome = stored(succeeded());
    await propose(ledger, 0, { type: 'attempt-finished', block: 'a', attempt: 1, outcome });
  });
  afterEach(() => at.end());

  test('that is started again is the run as it was started', async () => {
    at.clock.now += 5_000;
    expect(unwrap(await start(at, at.ledger()))).toEqual({ startedAt: NOON, epoch: 1 });
    expect(unwrap(await at.ledger().standing(RUN)).seen).toBe(1);
  });

  test('that was taken over refuses whoever drove it before, and keeps nothing of that', async () => {
    expect(unwrap(await at.ledger().takeOver(RUN, driver)).epoch).toBe(2);
    const before = unwrap(await at.store.sessions.load(SESSION)).eventCount;
    const stale = await at.ledger().record({ run: RUN, epoch: 1, seen: 1, proposals: [approval] });
    expect(codeOf(stale)).toBe('SUPERSEDED');
    expect(codeOf(await at.ledger().read({ run: RUN, epoch: 1, seen: 1 }))).toBe('SUPERSEDED');
    expect(unwrap(await at.store.sessions.load(SESSION)).eventCount).toBe(before);
    const fresh = unwrap(await at.ledger().record({ run: RUN, epoch: 2, seen: 2, proposals: [approval] }));
    expect(fresh.judged.map(({ ok }) => ok)).toEqual([true]);
  });

  test('that is taken over by two at once has one new driver for each epoch', async () => {
    const taken = await Promise.all([
      at.ledger().takeOver(RUN, driver),
      at.ledger().takeOver(RUN, { ...driver, by: 'otto' }),
    ]);
    expect(taken.map((one) => unwrap(one).epoch).sort()).toEqual([2, 3]);
  });

  test('gives an open gate its whole time again where it stood still', async () => {
    at.clock.now += 50_000;
    unwrap(await at.ledger().takeOver(RUN, driver));
    const { state } = unwrap(await at.ledger().standing(RUN));
    expect(state.gates[0]?.deadline).toBe(new Date(at.clock.now + TIMEOUT_MS).toISOString());
    expect(state.blocks.a?.warnings.join()).toContain('began anew');
  });

  test('tells a workflow that has seen more than the store holds', async () => {
    const behind = await at.ledger().record({ run: RUN, epoch: 1, seen: 9, proposals: [] });
    expect(codeOf(behind)).toBe('STORE_BEHIND');
    expect(codeOf(await at.ledger().read({ run: RUN, epoch: 3, seen: 1 }))).toBe('STORE_BEHIND');
  });

  test('decides a gate once, whoever proposes at the same moment from wherever', async () => {
    const timeout = { type: 'gate-timeout', block: 'a', gate: 'after', attempt: 1 } as const;
    const cancel = { type: 'cancel', by: 'kim' } as const;
    const rejection = decision({ id: 'd2', decision: 'reject', approver: 'bob', action: 'abort' });
    await Promise.all(
      [approval, timeout, cancel, { type: 'gate-decision', decision: rejection } as const].map((event) =>
        at.ledger().record({ run: RUN, epoch: 1, seen: 1, proposals: [event] }),
      ),
    );
    const { state } = unwrap(await at.ledger().standing(RUN));
    expect(state.gates.filter(({ outcome }) => outcome !== null).length).toBe(1);
    const claims = unwrap(await at.store.sessions.load(SESSION))
      .events()
      .filter((event) => event.kind === 'gap_recorded' && event.data.resolution.kind === 'resolves');
    expect(claims.length).toBe(1);
    expect(unwrap(await at.store.checkSession(SESSION)).health).toBe('healthy');
  });

  test('answers the same proposals again without appending anything', async () => {
    const outcome = stored(succeeded());
    const finished = { type: 'attempt-finished', block: 'b', attempt: 1, outcome } as const;
    const first = await propose(at.ledger(), 1, finished, approval);
    const before = unwrap(await at.store.sessions.load(SESSION)).eventCount;
    const again = await propose(at.ledger(), 1, finished, approval);
    expect(unwrap(await at.store.sessions.load(SESSION)).eventCount).toBe(before);
    expect(again.facts).toEqual(first.facts);
    expect(again.judged[1]).toEqual(first.judged[1]);
  });
});
