import { describe, expect, it } from '@jest/globals';
import { isTip, sessionView } from '../../../src/workrail/projections';
import { NodeId } from '../../../src/workrail/model';
import { type StepOutput } from '../../../src/workrail/protocol';
import { type Desk, desk, eventsOf, eventsOfKind, payloadOf, sessionOf, unwrap } from './protocols';

const nodeOf = ({ stateToken }: StepOutput): string => payloadOf(stateToken).nodeId ?? '';

async function causes(at: Desk, answer: StepOutput): Promise<string[]> {
  return (await eventsOfKind(at, answer, 'edge_created')).map(({ data }) => data.cause.kind);
}

describe('another attempt at a place', () => {
  it('opens a branch: N attempts make N, each with its own notes', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const tries = 7;
    const ends: StepOutput[] = [];
    for (let n = 0; n < tries; n += 1) {
      const fresh = await at.agent.read(first);
      ends.push(await at.agent.next(fresh, { output: { notesMarkdown: `Way ${n}.` } }));
    }
    expect(new Set(ends.map(nodeOf)).size).toBe(tries);
    const session = unwrap(await at.store.sessions.load(sessionOf(first)));
    const { dag } = session.project(sessionView);
    const [run] = dag.runs.values();
    expect(run?.nodes.get(NodeId.parse(nodeOf(first)))?.children).toEqual(ends.map(nodeOf));
    for (const [n, end] of ends.entries()) {
      const { pending } = await at.agent.read(end);
      expect(pending?.prompt).toContain(`Way ${n}.`);
      expect(pending?.prompt.match(/Way \d/g)).toHaveLength(1);
    }
  });

  it('[non-tip-advance-creates-fork] with an old token is recorded as a non-tip advance, with its trace', async () => {
    const at = await desk();
    const first = await at.agent.start();
    await at.agent.next(await at.agent.next(first));
    expect(await causes(at, first)).toEqual(['idempotent_replay', 'idempotent_replay']);
    const branch = await at.agent.next(await at.agent.read(first));
    expect(await causes(at, first)).toEqual(['idempotent_replay', 'idempotent_replay', 'non_tip_advance']);
    const traces = await eventsOfKind(at, first, 'decision_trace_appended');
    expect(traces.at(-1)).toMatchObject({ scope: { nodeId: nodeOf(branch) } });
    expect(traces.at(-1)?.data.entries[0]).toMatchObject({ kind: 'detected_non_tip_advance' });
  });

  it('is an intentional fork when the caller says so', async () => {
    const at = await desk();
    const first = await at.agent.start();
    await at.agent.next(first);
    await at.agent.next(await at.agent.read(first), { fork: true });
    expect(await causes(at, first)).toEqual(['idempotent_replay', 'intentional_fork']);
  });

  it('is an ordinary advance from a tip, even when the caller says fork', async () => {
    const at = await desk();
    const first = await at.agent.start();
    await at.agent.next(first, { fork: true });
    expect(await causes(at, first)).toEqual(['idempotent_replay']);
  });

  it('hears, when it reads the place, what was done after it elsewhere', async () => {
    const at = await desk();
    const first = await at.agent.start();
    await at.agent.next(first, { output: { notesMarkdown: 'Found the bug in the parser.' } });
    const prompt = (await at.agent.read(first)).pending?.prompt;
    expect(prompt).toContain('What was done after this place');
    expect(prompt).toContain('Found the bug in the parser.');
    expect(prompt).toContain('has been left once');
  });
});

describe('a checkpoint', () => {
  it('keeps notes once, changes no tip, and makes no fork of the next advance', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const call = { checkpointToken: first.checkpointToken ?? '', notesMarkdown: 'Half way.' };
    const kept = unwrap(await at.agent.call('checkpoint_workflow', call));
    const count = (await eventsOf(at, first)).length;
    for (let n = 0; n < 100; n += 1) {
      expect(unwrap(await at.agent.call('checkpoint_workflow', call))).toEqual(kept);
    }
    expect(await eventsOf(at, first)).toHaveLength(count);
    expect(kept.stateToken).toBe(first.stateToken);
    const { dag } = unwrap(await at.store.sessions.load(sessionOf(first))).project(sessionView);
    const [run] = dag.runs.values();
    expect(run && isTip(run, NodeId.parse(nodeOf(first)))).toBe(true);
    const reread = await at.agent.read(first);
    expect(reread.pending?.prompt).toContain('Half way.');
    await at.agent.next(first);
    expect(await causes(at, first)).toEqual(['checkpoint_created', 'idempotent_replay']);
  });

  it('can be followed by another at the same place, with the token it gave', async () => {
    const at = await desk();
    const first = await at.agent.start();
    const keep = async (checkpointToken = '', notesMarkdown = '') =>
      unwrap(await at.agent.call('checkpoint_workflow', { checkpointToken, notesMarkdown }));
    const one = await keep(first.checkpointToken, 'One.');
    const two = await keep(one.checkpointToken, 'Two.');
    expect(two.checkpointNodeId).not.toBe(one.checkpointNodeId);
    const prompt = (await at.agent.read(first)).pending?.prompt ?? '';
    expect(prompt.indexOf('One.')).toBeLessThan(prompt.indexOf('Two.'));
  });
});
