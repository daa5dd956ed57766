import { describe, expect, it } from '@jest/globals';
import { type StoreObserver } from '../../../src/workrail/local';
import { desk, eventsOf } from './protocols';

describe('a run', () => {
  it('goes from its first step to its end', async () => {
    const at = await desk();
    const first = await at.agent.start();
    expect(first).toMatchObject({ kind: 'ok', isComplete: false, gapCount: 0, warnings: [] });
    expect(first.nextIntent).toBe('perform_pending_then_continue');
    expect(first.pending).toMatchObject({ stepId: 'one', title: 'Step one' });
    const second = await at.agent.next(first);
    const third = await at.agent.next(second);
    const end = await at.agent.next(third);
    expect([second, third].map(({ pending }) => pending?.stepId)).toEqual(['two', 'three']);
    expect(end).toMatchObject({ isComplete: true, pending: null, nextIntent: 'complete', kind: 'ok' });
    expect(end.ackToken).toBeUndefined();
    expect((await eventsOf(at, end)).map(({ kind }) => kind).slice(0, 4)).toEqual([
      'session_created',
      'run_started',
      'node_created',
      'decision_trace_appended',
    ]);
  });

  it('costs one append a step, whatever the step brings with it', async () => {
    const written: string[] = [];
    const observer: StoreObserver = {
      appendEnded: ({ outcome }) => void written.push(outcome),
      lockAnswered: () => undefined,
    };
    const at = await desk(undefined, undefined, observer);
    const first = await at.agent.start({
      context: { a: 1 },
      preferences: { autonomy: 'full_auto_never_stop' },
    });
    const second = await at.agent.next(first, {
      output: { artifacts: [{ kind: 'a' }, { kind: 'b' }] },
      context: { a: 2 },
      preferences: { riskPolicy: 'balanced' },
    });
    await at.agent.next(second);
    expect(written).toEqual(['written', 'written', 'written']);
    await at.agent.next(second);
    await at.agent.read(second);
    expect(written).toHaveLength(3);
  });
});
