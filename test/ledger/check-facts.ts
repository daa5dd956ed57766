/** What WorkRail's own projections say of a factory's session, against the walk's state: two readings of one truth. */
import { expect } from '@jest/globals';
import type { WalkPlan } from '../../src/factory/plan';
import type { RunState } from '../../src/factory/run-state';
import { FactoryIds, factoryRunId } from '../../src/ledger';
import type { Session } from '../../src/workrail/ports';
import { RUN } from './scene';

export function checkFacts(session: Session, state: RunState, plan: WalkPlan): void {
  const ids = new FactoryIds(factoryRunId(RUN));
  const events = session.events();
  const resolved = new Set(
    events.flatMap((event) =>
      event.kind === 'gap_recorded' && event.data.resolution.kind === 'resolves'
        ? [event.data.resolution.resolvesGapId as string]
        : [],
    ),
  );
  const open = new Set(
    events.flatMap((event) =>
      event.kind === 'gap_recorded' &&
      event.data.resolution.kind === 'unresolved' &&
      !resolved.has(event.data.gapId)
        ? [event.data.gapId as string]
        : [],
    ),
  );
  // A gate waits where its gap is open, and a block has come to nothing where that gap is.
  const expected = [
    ...state.gates
      .filter(({ outcome }) => outcome === null)
      .map(({ block, gate, attempt }) => ids.gateGap(block, gate, attempt) as string),
    ...plan.blocks.flatMap(({ id }) => {
      const block = state.blocks[id];
      return block?.status === 'failed' && block.failure !== 'cancelled'
        ? [ids.failureGap(id, block.attempt)]
        : [];
    }),
  ];
  expect([...open].sort()).toEqual(expected.sort());

  const nodes = new Map(
    events.flatMap((event) => (event.kind === 'node_created' ? [[event.scope.nodeId as string, event]] : [])),
  );
  for (const { id, gates } of plan.blocks) {
    const block = state.blocks[id];
    if (!block) throw new Error(`no block ${id}`);
    const run = ids.block(id);
    const advances = events.filter(
      (event) =>
        event.kind === 'advance_recorded' &&
        event.scope.runId === run &&
        event.data.attemptId === ids.execution(id, block.attempt),
    );
    const ended = block.status === 'done' || (block.status === 'waiting' && gateOf(state, id) === 'after');
    if (ended) {
      expect(advances.length).toBe(1);
      expect(nodes.has(ids.result(id, block.attempt)) || nodes.has(ids.blocked(id, block.attempt))).toBe(
        true,
      );
    }
    if (block.status === 'done' && gates.after) expect(nodes.has(ids.complete(id, block.attempt))).toBe(true);
    if (block.status === 'running') expect(advances).toEqual([]);
  }
  expect(nodes.has(ids.end)).toBe(state.status === 'completed');
}

const gateOf = (state: RunState, id: string) =>
  state.gates.find(({ block, outcome }) => block === id && outcome === null)?.gate;
