import { describe, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../../src/canonical';
import {
  type AppendPlan,
  AttemptId,
  dedupeKeys,
  EventId,
  NodeId,
  RunId,
  StepId,
} from '../../../src/workrail/model';
import { type StepOutput } from '../../../src/workrail/protocol';
import { step, workflow } from '../compiler/workflows';
import { desk, errorOf, eventsOf, eventsOfKind, payloadOf, sessionOf, unwrap, type Desk } from './protocols';

const text = (answer: unknown): string => canonicalJson(answer)._unsafeUnwrap();
const placeOf = ({ stateToken }: StepOutput) => {
  const { runId, nodeId } = payloadOf(stateToken);
  return { runId: RunId.parse(runId), nodeId: NodeId.parse(nodeId) };
};

describe('an attempt that is sent again', () => {
  it('[replay-fact-returning] has the same answer a hundred times, whatever is handed in, and appends nothing', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const answer = text(await at.agent.next(first));
    const before = (await eventsOf(at, first)).length;
    for (let n = 0; n < 100; n += 1) {
      const again = await at.agent.next(first, n % 2 ? {} : { output: { notesMarkdown: `Other ${n}.` } });
      expect(text(again)).toBe(answer);
    }
    expect(await eventsOf(at, first)).toHaveLength(before);
  });

  it('has the same answer when the run has gone on, forked and was disclosed about since', async () => {
    const at = await desk();
    const never = { preferences: { autonomy: 'full_auto_never_stop' } };
    const first = await at.agent.start(never);
    const second = await at.agent.next(first, { output: {} });
    expect(second.gapCount).toBe(1);
    await at.agent.next(second, { output: {}, preferences: { autonomy: 'guided' } });
    await at.agent.next(await at.agent.read(first), { output: {} });
    expect(text(await at.agent.next(first))).toBe(text(second));
  });

  it('is answered by another protocol on the same data directory, which also goes on from there', async () => {
    const here = await desk();
    const there = await desk(undefined, here.root);
    const first = await here.agent.start();
    const second = await here.agent.next(first);
    expect(text(await there.agent.next(first))).toBe(text(second));
    const third = await there.agent.next(second);
    expect(text(await here.agent.next(second))).toBe(text(third));
    expect((await here.agent.next(third)).isComplete).toBe(true);
  });

  it('says the same after the keys were rotated; only the signatures of its tokens are new', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const second = await at.agent.next(first);
    unwrap(await at.keyring.rotate());
    const again = await at.agent.next(first);
    const said = ({ stateToken, ackToken, checkpointToken, ...rest }: StepOutput) => ({
      ...rest,
      tokens: [stateToken, ackToken, checkpointToken].map(payloadOf),
    });
    expect(said(again)).toEqual(said(second));
    expect(again.ackToken).not.toBe(second.ackToken);
    unwrap(await at.keyring.rotate());
    expect((await at.agent.next(again)).pending?.stepId).toBe('three');
  });

  it('is recorded once, however many send it at the same moment', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const answers = await Promise.all(Array.from({ length: 12 }, () => at.agent.next(first)));
    expect(new Set(answers.map(text)).size).toBe(1);
    expect(await eventsOfKind(at, first, 'advance_recorded')).toHaveLength(1);
  });

  it('is answered while somebody else holds the lock', async () => {
    const at = await desk();
    const other = await desk(undefined, at.root);
    const first = await at.agent.start();
    const second = await at.agent.next(first);
    const held = await other.store.sessions.withSession(sessionOf(first), async () => {
      const again = await at.agent.tryNext(first);
      return again;
    });
    expect(text(unwrap(held))).toBe(text(second));
  });
});

/** Record an attempt as blocked, and nothing that belongs to it. */
async function recordHalf(at: Desk, answer: StepOutput): Promise<void> {
  const { runId, nodeId } = placeOf(answer);
  const sessionId = sessionOf(answer);
  const attemptId = AttemptId.parse(payloadOf(answer.ackToken).attemptId);
  const about = { kind: 'workflow_step' as const, stepId: StepId.parse('one') };
  const blocker = { code: 'MISSING_REQUIRED_OUTPUT' as const, pointer: about, message: 'Notes.' };
  const plan: AppendPlan = {
    events: [
      {
        eventId: EventId.parse('evt_half'),
        kind: 'advance_recorded',
        dedupeKey: dedupeKeys.advanceRecorded(sessionId, nodeId, attemptId),
        scope: { runId, nodeId },
        data: {
          attemptId,
          intent: 'ack_pending',
          outcome: { kind: 'blocked', blockers: { blockers: [blocker] } },
        },
      },
    ],
    snapshots: [],
  };
  const { sessions } = at.store;
  unwrap(await sessions.withSession(sessionId, (_, witness) => sessions.append(witness, [plan])));
}

describe('an attempt that is recorded by half', () => {
  it('[replay-fail-closed] is an invariant violation when its node is missing, and is not done again', async () => {
    const at = await desk();
    const first = await at.agent.start();
    await recordHalf(at, first);
    const before = (await eventsOf(at, first)).length;
    expect(errorOf(await at.agent.tryNext(first))).toMatchObject({
      code: 'STORE_INVARIANT_VIOLATION',
      details: { reason: 'unexpected:invariant_violation' },
    });
    expect(await eventsOf(at, first)).toHaveLength(before);
  });

  it('[replay-fail-closed] is an invariant violation when its snapshot is missing', async () => {
    const at = await desk([workflow([step('one'), step('two')])]);
    const first = await at.agent.start();
    const second = await at.agent.next(first);
    const folder = join(at.root, 'snapshots');
    const { nodeId } = placeOf(second);
    const created = (await eventsOfKind(at, first, 'node_created')).find(
      ({ scope }) => scope.nodeId === nodeId,
    );
    const name = `${created?.data.snapshotRef.slice('sha256:'.length) ?? ''}.json`;
    expect(readdirSync(folder)).toContain(name);
    const other = await desk([workflow([step('one'), step('two')])], at.root);
    unwrap(await other.store.sessions.load(sessionOf(first)));
    rmSync(join(folder, name));
    expect(errorOf(await other.agent.tryNext(first)).code).toBe('STORE_INVARIANT_VIOLATION');
  });
});
