import { describe, expect, it } from '@jest/globals';
import { type RunStatus } from '../../../src/workrail/model';
import { runStatus, sessionView } from '../../../src/workrail/projections';
import { type StepOutput } from '../../../src/workrail/protocol';
import { decide, loop, control, step, workflow } from '../compiler/workflows';
import {
  Agent,
  type Desk,
  desk,
  errorOf,
  eventsOf,
  eventsOfKind,
  payloadOf,
  sessionOf,
  unwrap,
} from './protocols';

const CHECKED = workflow([
  step('look', { validationCriteria: { type: 'contains', value: 'severity:' } }),
  step('tell'),
]);
const NEVER = { preferences: { autonomy: 'full_auto_never_stop' } };
const notes = (notesMarkdown: string) => ({ output: { notesMarkdown } });

async function statusOf(at: Desk, answer: StepOutput): Promise<RunStatus | undefined> {
  const view = unwrap(await at.store.sessions.load(sessionOf(answer))).project(sessionView);
  const [run] = view.dag.runs.values();
  const snapshots = new Map();
  for (const { snapshotRef } of run?.nodes.values() ?? []) {
    snapshots.set(snapshotRef, unwrap(await at.store.snapshots.get(snapshotRef)));
  }
  return run && runStatus(view, run.runId, (ref) => snapshots.get(ref) as never);
}

describe('an attempt that does not show what it must', () => {
  it('is blocked, and mended by one call with what the answer gave', async () => {
    const at = await desk([CHECKED]);
    const first = await at.agent.start();
    const blocked = await at.agent.next(first, notes('All fine.'));
    expect(blocked).toMatchObject({ kind: 'blocked', isComplete: false, gapCount: 1 });
    expect(blocked.blockers).toMatchObject([{ code: 'INVALID_REQUIRED_OUTPUT' }]);
    expect(blocked.ackToken).toBeUndefined();
    expect(blocked.pending?.stepId).toBe('look');
    expect(await statusOf(at, blocked)).toBe('blocked');
    const mended = await at.agent.next(blocked, notes('Finding 1, severity: high'));
    expect(mended).toMatchObject({ kind: 'ok', gapCount: 0, pending: { stepId: 'tell' } });
    const end = await at.agent.next(mended);
    expect(end.isComplete).toBe(true);
    expect(await statusOf(at, end)).toBe('complete');
  });

  it('stays blocked when it is sent again; only another attempt can mend it', async () => {
    const at = await desk([CHECKED]);
    const first = await at.agent.start();
    const blocked = await at.agent.next(first, notes('All fine.'));
    expect(await at.agent.next(first, notes('severity: high'))).toEqual(blocked);
    const retried = await at.agent.next(blocked, notes('Still fine.'));
    expect(retried).toMatchObject({ kind: 'blocked', gapCount: 1 });
    expect(payloadOf(retried.stateToken).nodeId).not.toBe(payloadOf(blocked.stateToken).nodeId);
  });

  it('tells whoever reads its place again why, and lets them mend it', async () => {
    const at = await desk([CHECKED]);
    const blocked = await at.agent.next(await at.agent.start(), notes('All fine.'));
    const again = await at.agent.read(blocked);
    expect(again).toMatchObject({ kind: 'blocked', blockers: blocked.blockers });
    expect(again.retryAckToken).not.toBe(blocked.retryAckToken);
    expect((await at.agent.next(again, notes('severity: low'))).kind).toBe('ok');
  });

  it('is also answered for by an attempt from before it', async () => {
    const at = await desk([CHECKED]);
    const first = await at.agent.start();
    await at.agent.next(first, notes('All fine.'));
    const mended = await at.agent.next(await at.agent.read(first), notes('severity: low'));
    expect(mended.gapCount).toBe(0);
  });
});

describe('a run that never stops', () => {
  it('is never blocked, discloses what is missing, and ends complete with gaps', async () => {
    const steps = [
      step('look', { validationCriteria: { type: 'length', min: 50 } }),
      step('ask', { requireConfirmation: true }),
      step('gate', { performedBy: 'person' }),
    ];
    const at = await desk([workflow(steps)]);
    let answer = await at.agent.start(NEVER);
    const kinds: string[] = [];
    while (!answer.isComplete) {
      answer = await at.agent.next(answer, { output: {} });
      kinds.push(answer.kind);
      expect(answer.warnings.join()).toContain('Recorded as a gap');
    }
    expect(kinds).toEqual(['ok', 'ok', 'ok']);
    expect(answer.gapCount).toBeGreaterThanOrEqual(3);
    expect(await statusOf(at, answer)).toBe('complete_with_gaps');
    const gaps = await eventsOfKind(at, answer, 'gap_recorded');
    expect(new Set(gaps.map(({ data }) => data.severity))).toEqual(new Set(['critical']));
  });

  it('goes on past the limit of a loop with a gap, where another run is blocked', async () => {
    const looping = workflow([loop('again', [step('work'), decide('more')], { maxIterations: 1 })], {
      conditions: [control('again')],
    });
    const on = {
      output: { notesMarkdown: 'x', artifacts: [{ kind: 'wr.loop_control', decision: 'continue' }] },
    };
    const at = await desk([looping]);
    const guided = await at.agent.next(await at.agent.next(await at.agent.start()), on);
    expect(guided.blockers).toMatchObject([{ code: 'INVARIANT_VIOLATION' }]);
    expect(guided.blockers?.[0]?.message).toContain('"again"');
    const free = await at.agent.next(await at.agent.next(await at.agent.start(NEVER)), on);
    expect(free).toMatchObject({ isComplete: true, gapCount: 1 });
  });
});

describe('a workflow that requires web browsing', () => {
  const browsing = workflow([step('search')], { capabilities: { web_browsing: 'required' } });
  const found = (status: string) => ({
    output: {
      notesMarkdown: 'Tried it.',
      artifacts: [
        {
          kind: 'wr.capability_observation',
          capability: 'web_browsing',
          status,
          evidence: 'Fetched a page.',
        },
      ],
    },
  });

  it('is blocked in guided mode by a probe that fails, and goes on when another finds it', async () => {
    const at = await desk([browsing]);
    const probe = await at.agent.start();
    const blocked = await at.agent.next(probe, found('unavailable'));
    expect(blocked.blockers).toMatchObject([
      {
        code: 'REQUIRED_CAPABILITY_UNAVAILABLE',
        pointer: { kind: 'capability', capability: 'web_browsing' },
      },
    ]);
    const search = await at.agent.next(blocked, found('available'));
    expect(search.pending?.stepId).toBe('search');
    expect((await at.agent.next(search)).isComplete).toBe(true);
    const observed = await eventsOfKind(at, probe, 'capability_observed');
    expect(observed.map(({ data }) => [data.status, data.provenance.enforcementGrade])).toEqual([
      ['unavailable', 'strong'],
      ['available', 'strong'],
    ]);
  });

  it('goes on with a gap in a run that never stops', async () => {
    const at = await desk([browsing]);
    const search = await at.agent.next(await at.agent.start(NEVER), found('unavailable'));
    expect(search).toMatchObject({ kind: 'ok', gapCount: 1 });
    const end = await at.agent.next(search);
    expect(await statusOf(at, end)).toBe('complete_with_gaps');
  });
});

describe('a step that a person is to confirm', () => {
  const confirmed = workflow([step('plan', { requireConfirmation: true }), step('act')]);

  it('says so, and is left when the person says yes', async () => {
    const at = await desk([confirmed]);
    const first = await at.agent.start();
    expect(first.nextIntent).toBe('await_user_confirmation');
    const asked: string[] = [];
    const next = await at.agent.asking('yes', asked).next(first);
    expect(next).toMatchObject({ kind: 'ok', gapCount: 0, pending: { stepId: 'act' } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Did plan.');
  });

  it('is blocked when the person says no, and asks again with the next attempt', async () => {
    const at = await desk([confirmed]);
    const blocked = await at.agent.asking('no').next(await at.agent.start());
    expect(blocked).toMatchObject({ kind: 'blocked', nextIntent: 'await_user_confirmation' });
    expect(blocked.blockers).toMatchObject([{ code: 'USER_ONLY_DEPENDENCY' }]);
    expect((await at.agent.asking('yes').next(blocked)).gapCount).toBe(0);
  });

  it("is left on the agent's word where nobody can be asked, recorded as its claim", async () => {
    const at = await desk([confirmed]);
    const next = await at.agent.next(await at.agent.start());
    expect(next).toMatchObject({ kind: 'ok', gapCount: 1 });
    expect(next.warnings.join()).toContain('No person could be asked');
    const [gap] = await eventsOfKind(at, next, 'gap_recorded');
    expect(gap?.data).toMatchObject({ severity: 'warning', reason: { detail: 'needs_user_approval' } });
    const end = await at.agent.next(next);
    expect(await statusOf(at, end)).toBe('complete');
  });

  it('bothers nobody while its output is not as required, nor when an attempt is sent again', async () => {
    const at = await desk([workflow([step('plan', { requireConfirmation: true }), step('act')])]);
    const asked: string[] = [];
    const agent = at.agent.asking('yes', asked);
    const first = await agent.start();
    const blocked = await agent.next(first, { output: {} });
    expect(blocked.blockers?.map(({ code }) => code)).toEqual(['MISSING_REQUIRED_OUTPUT']);
    expect(asked).toEqual([]);
    const done = await agent.next(blocked);
    expect(await agent.next(blocked)).toEqual(done);
    expect(asked).toHaveLength(1);
  });

  it('is asked about without the lock being held', async () => {
    const at = await desk([confirmed]);
    const other = await desk([confirmed], at.root);
    const first = await at.agent.start();
    const meanwhile: StepOutput[] = [];
    const agent = new Agent(at.protocol, async () => {
      meanwhile.push(await other.agent.next(await other.agent.read(first)));
      return 'yes';
    });
    const mine = await agent.next(first);
    expect([mine, ...meanwhile].map(({ kind }) => kind)).toEqual(['ok', 'ok']);
    const edges = await eventsOfKind(at, first, 'edge_created');
    expect(edges.map(({ data }) => data.cause.kind)).toEqual(['idempotent_replay', 'non_tip_advance']);
  });
});

describe('a step that a person performs', () => {
  it('is passed by no agent, and by a person who is asked', async () => {
    const at = await desk([workflow([step('sign', { performedBy: 'person' })])]);
    const first = await at.agent.start();
    expect(first.nextIntent).toBe('await_user_confirmation');
    const before = (await eventsOf(at, first)).length;
    expect(errorOf(await at.agent.tryNext(first)).code).toBe('STEP_NEEDS_PERSON');
    expect(errorOf(await at.agent.asking('no').tryNext(first)).code).toBe('STEP_NEEDS_PERSON');
    expect(await eventsOf(at, first)).toHaveLength(before);
    expect((await at.agent.asking('yes').next(first)).isComplete).toBe(true);
  });
});
