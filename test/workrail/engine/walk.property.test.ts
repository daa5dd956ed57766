import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/canonical';
import { type Acknowledgement, advance, renderPending, start } from '../../../src/workrail/engine';
import {
  type CompiledWorkflow,
  ExecutionSnapshot,
  type LoopId,
  pendingStep,
  type TraceEntry,
} from '../../../src/workrail/model';
import { randomWorkflow } from '../compiler/random-workflows';
import { compiled } from '../compiler/workflows';
import { ack, deciding, NEVER_STOPS, STOPS, waiting } from './runs';

/** What an agent hands in, by chance: good and bad decisions, notes or none. */
const answers = fc.infiniteStream(
  fc.constantFrom<Acknowledgement>(
    ack(),
    ack({ output: { notesMarkdown: '', artifacts: [] } }),
    ack({ output: { notesMarkdown: 'x', artifacts: [{ kind: 'wr.loop_control' }, null, 3] } }),
    deciding('continue'),
    deciding('continue'),
    deciding('stop'),
  ),
);

function taken(stream: fc.Stream<Acknowledgement>): Acknowledgement {
  const next = stream.next();
  if (next.done) throw new Error('An infinite stream has ended');
  return next.value;
}

/** The most step instances a walk can have. */
function bound({ walk, loops, conditions }: CompiledWorkflow): number {
  const byId = new Map(loops.map((loop) => [loop.loopId, loop]));
  const count = (items: CompiledWorkflow['walk']): number =>
    items.reduce((sum, item) => {
      const loop = item.kind === 'loop' ? byId.get(item.loopId) : undefined;
      const never =
        conditions.find((one) => one.conditionId === loop?.while.conditionId)?.kind === 'always_false';
      return sum + (loop ? (never ? 0 : loop.maxIterations * count(loop.body)) : 1);
    }, 0);
  return count(walk);
}

/** Loops are reached, evaluated and left in the order of brackets; the iterations evaluated count up from 0. */
function checkTrace(trace: readonly TraceEntry[]): void {
  const open: { loopId: LoopId; evaluated: number }[] = [];
  for (const { kind, refs = [] } of trace) {
    const loopId = refs.flatMap((ref) => (ref.kind === 'loop_id' ? [ref.loopId] : []))[0];
    const iteration = refs.flatMap((ref) => (ref.kind === 'iteration' ? [ref.value] : []))[0];
    const top = open.at(-1);
    if (kind === 'entered_loop' && loopId) open.push({ loopId, evaluated: 0 });
    if (kind === 'evaluated_condition') {
      expect({ loopId, iteration }).toEqual({ loopId: top?.loopId, iteration: top?.evaluated });
      if (top) top.evaluated += 1;
    }
    if (kind === 'exited_loop') {
      expect(loopId).toBe(open.pop()?.loopId);
      expect(top?.evaluated).toBeGreaterThan(0);
    }
  }
  expect(open).toEqual([]);
}

describe('a walk, whatever the workflow and whatever is handed in', () => {
  it('ends in never-stop within the product of its limits, each instance once, every snapshot valid, the trace complete', () => {
    fc.assert(
      fc.property(randomWorkflow, answers, (source, stream) => {
        const { compiled: workflow } = compiled(source);
        const { snapshot: first, trace: begin } = start(workflow)._unsafeUnwrap();
        const most = bound(workflow);
        const trace = [...begin];
        const visited: string[] = [];
        for (let at = first; waiting(at) !== null;) {
          ExecutionSnapshot.parse(at);
          expect(renderPending(workflow, at).isOk()).toBe(true);
          visited.push(waiting(at) ?? '');
          expect(visited.length).toBeLessThanOrEqual(most);
          const given = { ...taken(stream), preferences: NEVER_STOPS };
          const result = advance(workflow, at, given)._unsafeUnwrap();
          if (result.kind === 'blocked') throw new Error('never-stop was blocked');
          trace.push(...result.trace);
          at = result.snapshot;
        }
        expect(new Set(visited).size).toBe(visited.length);
        checkTrace(trace);
      }),
    );
  });

  it('stays where it is when blocked, and gives the same bytes for the same input [determinism]', () => {
    fc.assert(
      fc.property(randomWorkflow, answers, (source, stream) => {
        const { compiled: workflow } = compiled(source);
        let at = start(workflow)._unsafeUnwrap().snapshot;
        for (let tries = 0; tries < 60 && waiting(at) !== null; tries++) {
          const given = { ...taken(stream), preferences: STOPS };
          const before = canonicalJson(at)._unsafeUnwrap();
          const result = advance(workflow, at, given)._unsafeUnwrap();
          // A copy has nothing in common with the first but its content.
          const copy = structuredClone({ workflow, at, given });
          expect(advance(copy.workflow, copy.at, copy.given)._unsafeUnwrap()).toEqual(result);
          expect(canonicalJson(at)._unsafeUnwrap()).toBe(before);
          if (result.kind === 'blocked') expect(result.reasons.length).toBeGreaterThan(0);
          else at = result.snapshot;
        }
      }),
      { numRuns: 40 },
    );
  });

  it('keeps what was completed for good, and the loops around the pending step within their limits', () => {
    fc.assert(
      fc.property(randomWorkflow, answers, (source, stream) => {
        const { compiled: workflow } = compiled(source);
        const limits = new Map(workflow.loops.map(({ loopId, maxIterations }) => [loopId, maxIterations]));
        let at = start(workflow)._unsafeUnwrap().snapshot;
        let done: readonly string[] = [];
        while (waiting(at) !== null) {
          const state = at.enginePayload.engineState;
          const now = state.kind === 'running' ? state.completed.values : [];
          for (const key of done) expect(now).toContain(key);
          done = now;
          for (const { loopId, iteration } of pendingStep(at)?.loopPath ?? []) {
            expect(iteration).toBeLessThan(limits.get(loopId) ?? 0);
          }
          const result = advance(workflow, at, {
            ...taken(stream),
            preferences: NEVER_STOPS,
          })._unsafeUnwrap();
          if (result.kind === 'advanced') at = result.snapshot;
        }
      }),
      { numRuns: 40 },
    );
  });
});
