import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { WalkEvent } from '../../src/factory/walk';
import type { RunAudit } from '../../src/ledger';
import {
  block,
  decision,
  failed,
  gate,
  NOON,
  plan,
  scored,
  succeeded,
  threshold,
} from '../factory/walk/fixtures';
import { unwrap } from '../workrail/local/fixtures';
import { RUN, scene, start, stored, type Scene } from './scene';

let at: Scene;
beforeEach(async () => {
  at = await scene(
    plan([
      block('draft', { after: gate({ quorum: 2 }), maxRetries: 1 }),
      block('page', { needs: ['draft'], thresholds: [threshold()], maxRetries: 0 }),
      block('last', { needs: ['page'], before: gate({ timeoutMs: 60_000 }) }),
    ]),
    NOON,
  );
  unwrap(await start(at, at.ledger()));
});
afterEach(() => at.end());

/** Tell the ledger of something, a second after the last. */
async function happens(event: WalkEvent): Promise<void> {
  at.clock.now += 1_000;
  const ledger = at.ledger();
  const { seen, epoch } = unwrap(await ledger.standing(RUN));
  const proposal = event.type === 'attempt-finished' ? { ...event, outcome: stored(event.outcome) } : event;
  const recorded = unwrap(await ledger.record({ run: RUN, epoch, seen, proposals: [proposal] }));
  expect(recorded.judged).toMatchObject([{ ok: true }]);
}
const ends = (id: string, attempt: number, outcome = succeeded()): Promise<void> =>
  happens({ type: 'attempt-finished', block: id, attempt, outcome });
const says = (fields: Parameters<typeof decision>[0]): Promise<void> =>
  happens({ type: 'gate-decision', decision: decision(fields) });
const audit = async (): Promise<RunAudit> => unwrap(await at.ledger().audit(RUN));

describe('the audit of a run', () => {
  test('tells who decided what, when, and on which digests', async () => {
    await ends('draft', 1);
    const shown = (await audit()).attempts[0]?.end?.artifacts.map(({ digest }) => digest) ?? [];
    await says({ block: 'draft', approver: 'ann', notes: 'Fine.', attempt: 1, digests: shown });
    await says({ block: 'draft', approver: 'bob', decision: 'reject', feedback: 'Shorter.' });
    await ends('draft', 2);
    await says({ block: 'draft', approver: 'ann' });
    await says({ block: 'draft', approver: 'bob' });
    const { decisions, gates, attempts } = await audit();
    expect(shown).toHaveLength(1);
    expect(decisions).toMatchObject([
      { person: 'ann', said: 'approve', attempt: 1, result: 'counted', notes: 'Fine.', shown },
      { person: 'bob', said: 'reject', attempt: 1, result: 'decided', action: 'retry', feedback: 'Shorter.' },
      { person: 'ann', said: 'approve', attempt: 2, result: 'counted', shown: null },
      { person: 'bob', said: 'approve', attempt: 2, result: 'decided' },
    ]);
    expect(decisions[0]?.at).toBe(new Date(NOON + 2_000).toISOString());
    expect(gates).toMatchObject([
      { block: 'draft', gate: 'after', attempt: 1, outcome: { decision: 'rejected', by: 'bob' } },
      { block: 'draft', gate: 'after', attempt: 2, outcome: { decision: 'approved', by: 'bob' } },
    ]);
    expect(gates[0]?.outcome?.evidence).toEqual([`draft/out=${shown[0]}`]);
    expect(gates[0]?.votes.map(({ approver }) => approver)).toEqual(['ann']);
    expect(attempts.map(({ block: id, attempt, feedback }) => [id, attempt, feedback])).toEqual([
      ['draft', 1, 0],
      ['draft', 2, 1],
      ['page', 1, 0],
    ]);
    expect(attempts[2]?.inputs).toEqual([{ block: 'draft', key: 'out', digest: shown[0] }]);
  });

  test('tells every miss, its gap, what brought the block back, and what passed it', async () => {
    await ends('draft', 1, failed('timeout', 'too slow'));
    await ends('draft', 2, failed());
    expect((await audit()).gaps.filter(({ resolved }) => !resolved)).toMatchObject([{ block: 'draft' }]);
    await happens({ type: 'retry-block', block: 'draft', by: 'olga' });
    await ends('draft', 3);
    await says({ block: 'draft', approver: 'ann' });
    await says({ block: 'draft', approver: 'bob' });
    await ends('page', 1, scored(50));
    await says({ block: 'page', override: true, justification: 'It must go out.' });
    const { attempts, controls, gaps, decisions, capabilities } = await audit();
    expect(attempts.map(({ end }) => [end?.outcome, end?.result, end?.failure])).toEqual([
      ['failed', 'retry', 'timeout'],
      ['failed', 'failed', 'error'],
      ['succeeded', 'await_approval', null],
      ['succeeded', 'failed', 'threshold_not_met'],
    ]);
    expect(attempts[0]?.end?.error).toContain('too slow');
    expect(controls).toMatchObject([{ what: 'retry-block', by: 'olga', block: 'draft', result: 'retrying' }]);
    expect(decisions.at(-1)).toMatchObject({
      said: 'override',
      justification: 'It must go out.',
      result: 'decided',
    });
    expect(gaps.map(({ block: id, resolved }) => [id, resolved !== null])).toEqual([
      ['draft', true],
      ['draft', true],
      ['page', true],
      ['last', false],
    ]);
    expect(capabilities).toEqual([]);
  });

  test('tells of pauses, deadlines, stand-ins, take-overs and the cancel', async () => {
    await happens({ type: 'pause', by: 'olga' });
    const standIn = { ran: 'run.mjs', asked: 'claude-cli' };
    await ends('draft', 1, { ...succeeded(), standIn });
    await happens({ type: 'resume', by: 'olga' });
    await says({ block: 'draft', approver: 'ann' });
    await says({ block: 'draft', approver: 'bob' });
    await ends('page', 1, scored(99));
    await happens({ type: 'gate-timeout', block: 'last', gate: 'before', attempt: 1 });
    at.clock.now += 1_000;
    const driver = { workflowId: 'elsewhere', by: 'pam', restartDeadlines: true };
    unwrap(await at.ledger().takeOver(RUN, driver));
    await happens({ type: 'cancel', by: 'olga', reason: 'No longer needed' });
    const told = await audit();
    expect(told.controls.map(({ what, by, result, detail }) => [what, by, result, detail])).toEqual([
      ['pause', 'olga', 'pausing', {}],
      ['resume', 'olga', 'running', {}],
      ['gate-timeout', null, 'overdue', { gate: 'before', attempt: 1 }],
      ['cancel', 'olga', 'cancelled', { reason: 'No longer needed' }],
    ]);
    expect(told.drivers).toMatchObject([
      { epoch: 1, by: 'sam', workflow: RUN },
      { epoch: 2, by: 'pam', workflow: 'elsewhere', deadlines_began_anew: true },
    ]);
    expect(told.gates.at(-1)?.outcome).toMatchObject({ decision: 'cancelled', via: 'cancel' });
    expect(told.divergences.map(({ block: id, reason }) => [id, reason])).toEqual([
      ['draft', 'capability_unavailable'],
      [null, 'safety_stop'],
    ]);
    expect(told.capabilities).toMatchObject([{ block: 'draft', status: 'unavailable' }]);
    expect(told.attempts[0]?.end?.stand_in).toEqual(standIn);
    expect(told.warnings).toMatchObject([
      { block: 'last', text: expect.stringContaining('taken over by pam') },
    ]);
    expect(told).toMatchObject({
      status: 'cancelled',
      started: { by: 'sam' },
      parameters: { topic: 'railways' },
    });
  });
});
