import { describe, expect, it } from '@jest/globals';
import { advance, splitTrace, start } from '../../../src/workrail/engine';
import {
  DecisionTrace,
  ExecutionSnapshot,
  isComplete,
  MAX_TRACE_ENTRIES,
  type TraceEntry,
} from '../../../src/workrail/model';
import { compiled, control, counted, decide, loop, step, workflow, type Json } from '../compiler/workflows';
import {
  ack,
  begun,
  deciding,
  held,
  inShort,
  moved,
  NEVER_STOPS,
  STOPS,
  waiting,
  walkThrough,
  withArtifacts,
} from './runs';

const made = (steps: readonly Json[], conditions: readonly Json[]) =>
  compiled(workflow(steps, { conditions })).compiled;

const decided = made([step('a'), loop('l', [step('b'), decide('c')]), step('z')], [control('l')]);

/** The snapshot that waits for the decision of the given iteration. */
function atDecision(iteration: number) {
  let at = moved(decided, begun(decided), ack()).snapshot;
  for (let n = 0; ; n++) {
    at = moved(decided, at, ack()).snapshot;
    if (n === iteration) return at;
    at = moved(decided, at, deciding('continue')).snapshot;
  }
}

describe('a loop by decision', () => {
  it('goes on by "continue" with the next iteration, from 0, and ends by "stop"', () => {
    const { visited } = walkThrough(decided, (at) =>
      at.endsWith('c') ? deciding(at.includes('@1') ? 'stop' : 'continue') : ack(),
    );
    expect(visited).toEqual(['a', 'l@0::b', 'l@0::c', 'l@1::b', 'l@1::c', 'z']);
  });

  it('never changes its iteration inside of the body', () => {
    const at = atDecision(1);
    expect(waiting(at)).toBe('l@1::c');
    expect(at.enginePayload.engineState).toMatchObject({
      loopStack: [{ loopId: 'l', iteration: 1, bodyIndex: 1 }],
    });
  });

  it.each([
    ['missing', ack(), 'contract_violation:missing_required_output'],
    ['of another kind', withArtifacts({ kind: 'wr.other' }), 'contract_violation:missing_required_output'],
    [
      'without a decision',
      withArtifacts({ kind: 'wr.loop_control' }),
      'contract_violation:invalid_required_output',
    ],
    ['about another loop', deciding('stop', { loopId: 'm' }), 'contract_violation:invalid_required_output'],
  ])('is held, not left, by a decision that is %s', (_, given, code) => {
    for (const preferences of [ack().preferences, STOPS]) {
      const { reasons } = held(decided, atDecision(0), { ...given, preferences });
      expect(reasons).toMatchObject([
        { code, about: { kind: 'output_contract', contractRef: 'wr.contracts.loop_control' } },
      ]);
    }
  });

  it('goes on where nobody may stop and the decision is missing, discloses each, and ends at its limit with a gap', () => {
    const { visited, gaps, trace } = walkThrough(decided, () => ack({ preferences: NEVER_STOPS }));
    expect(visited.filter((at) => at.endsWith('b'))).toEqual(['l@0::b', 'l@1::b', 'l@2::b']);
    expect(gaps.map(({ code }) => code)).toEqual([
      'contract_violation:missing_required_output',
      'contract_violation:missing_required_output',
      'contract_violation:missing_required_output',
      'unexpected:invariant_violation',
    ]);
    expect(trace.find(({ kind }) => kind === 'exited_loop')?.summary).toContain('max_iterations_reached');
  });

  it('is held at its limit, with the numbers, and can still be stopped from there', () => {
    const last = atDecision(2);
    const { reasons } = held(decided, last, deciding('continue'));
    expect(reasons).toMatchObject([
      {
        code: 'unexpected:invariant_violation',
        about: { kind: 'workflow_step', stepId: 'c' },
        details: { loopId: 'l', iteration: 3, maxIterations: 3 },
      },
    ]);
    expect(waiting(moved(decided, last, deciding('stop')).snapshot)).toBe('z');
  });

  it('takes a decision right before it: "stop" means zero iterations', () => {
    const early = made([decide('e'), loop('l', [step('b'), decide('c')]), step('z')], [control('l')]);
    const skipped = moved(early, begun(early), deciding('stop'));
    expect(waiting(skipped.snapshot)).toBe('z');
    expect(inShort(skipped.trace)).toEqual([
      'entered_loop l 0',
      'evaluated_condition l 0',
      'exited_loop l 0',
      'selected_next_step z',
    ]);
    expect(waiting(moved(early, begun(early), deciding('continue')).snapshot)).toBe('l@0::b');
  });

  it('goes by the embedded contract, not by the code of today', () => {
    const [contract, ...rest] = decided.contracts;
    if (!contract) throw new Error('no contract');
    const older = {
      ...decided,
      contracts: [{ ...contract, schema: { type: 'object', required: ['verdict'] } }, ...rest],
    };
    const at = atDecision(0);
    expect(held(older, at, deciding('stop')).reasons[0]?.found).toContain('verdict');
    expect(waiting(moved(older, at, deciding('stop', { verdict: 1 })).snapshot)).toBe('z');
  });
});

describe('a counted loop', () => {
  it('runs as often as it says, and ends without a gap', () => {
    const workflowOf = made([loop('l', [step('b')]), step('z')], [counted('l')]);
    const { visited, gaps } = walkThrough(workflowOf, () => ack());
    expect(visited).toEqual(['l@0::b', 'l@1::b', 'l@2::b', 'z']);
    expect(gaps).toEqual([]);
  });

  it('that never runs is recorded as reached, evaluated and left', () => {
    const never = made([loop('l', [step('b')]), step('z')], [counted('l', 'always_false')]);
    const { snapshot, trace } = start(never)._unsafeUnwrap();
    expect(waiting(snapshot)).toBe('z');
    expect(inShort(trace)).toEqual([
      'entered_loop l 0',
      'evaluated_condition l 0',
      'exited_loop l 0',
      'selected_next_step z',
    ]);
  });

  it('that never runs can be a whole workflow: it is complete when it begins', () => {
    const never = made([loop('l', [step('b')])], [counted('l', 'always_false')]);
    expect(isComplete(start(never)._unsafeUnwrap().snapshot)).toBe(true);
  });
});

describe('loops in loops', () => {
  it('have each instance once, with the inner loop from 0 in every outer iteration', () => {
    const nested = made(
      [loop('o', [loop('i', [step('b')], { maxIterations: 2 }), step('c')], { maxIterations: 2 })],
      [counted('o'), counted('i')],
    );
    expect(walkThrough(nested, () => ack()).visited).toEqual([
      'o@0/i@0::b',
      'o@0/i@1::b',
      'o@0::c',
      'o@1/i@0::b',
      'o@1/i@1::b',
      'o@1::c',
    ]);
  });
});

describe('a long trace', () => {
  it('goes into as many events as its budgets need, complete and in order [decision-trace-bounded]', () => {
    const many = Array.from({ length: 40 }, (_, i) => loop(`l${i}`, [step(`b${i}`)]));
    const long = made(
      [...many, step('z')],
      many.map((_, i) => counted(`l${i}`, 'always_false')),
    );
    const { trace } = start(long)._unsafeUnwrap();
    expect(trace.length).toBeGreaterThan(4 * MAX_TRACE_ENTRIES);
    const parts = splitTrace(trace);
    expect(parts.flat()).toEqual(trace);
    for (const entries of parts)
      expect(DecisionTrace.safeParse({ traceId: 'trace_1', entries }).success).toBe(true);
  });

  it('is split by bytes too', () => {
    const wide: TraceEntry[] = Array.from({ length: 20 }, () => ({
      kind: 'entered_loop',
      summary: 'é'.repeat(250),
    }));
    const parts = splitTrace(wide);
    expect(parts.flat()).toEqual(wide);
    for (const entries of parts)
      expect(DecisionTrace.safeParse({ traceId: 'trace_1', entries }).success).toBe(true);
  });
});

describe('what the engine is given', () => {
  it('is refused where the run is at its end', () => {
    const one = made([step('a')], []);
    const end = moved(one, begun(one), ack()).snapshot;
    expect(advance(one, end, ack())._unsafeUnwrapErr().code).toBe('STEP_NOT_PENDING');
  });

  it('is refused where a snapshot is of another workflow', () => {
    const other = made([step('a'), step('z')], []);
    expect(advance(other, atDecision(0), ack())._unsafeUnwrapErr().code).toBe('STORE_SNAPSHOT_CORRUPT');
  });

  it.each([
    ['another place in an outer loop', { outer: 1, inner: 0, iteration: 0 }],
    ['another place in the body', { outer: 0, inner: 1, iteration: 0 }],
    ['an iteration that there is not', { outer: 0, inner: 0, iteration: 2 }],
  ])('is refused where a snapshot has %s', (_, { outer, inner, iteration }) => {
    const nested = made(
      [loop('o', [loop('i', [step('b'), step('c')], { maxIterations: 2 }), step('d')], { maxIterations: 2 })],
      [counted('o'), counted('i')],
    );
    const loopStack = [
      { loopId: 'o', iteration: 0, bodyIndex: outer },
      { loopId: 'i', iteration, bodyIndex: inner },
    ];
    const loopPath = loopStack.map(({ loopId, iteration: n }) => ({ loopId, iteration: n }));
    const snapshot = ExecutionSnapshot.parse({
      v: 1,
      kind: 'execution_snapshot',
      enginePayload: {
        v: 1,
        engineState: {
          kind: 'running',
          completed: { kind: 'set', values: [] },
          loopStack,
          pending: { kind: 'some', step: { stepId: 'b', loopPath } },
        },
      },
    });
    expect(advance(nested, snapshot, ack())._unsafeUnwrapErr().code).toBe('STORE_SNAPSHOT_CORRUPT');
  });

  it('is refused where a pinned workflow has a loop that turns without reaching a step', () => {
    const idle = made(
      [loop('o', [loop('i', [step('b')]), step('d')])],
      [counted('o'), counted('i', 'always_false')],
    );
    const turning = {
      ...idle,
      steps: idle.steps.filter(({ stepId }) => stepId !== 'd'),
      loops: idle.loops.map((one) => ({ ...one, body: one.body.slice(0, 1) })),
    };
    expect(start(turning)._unsafeUnwrapErr().message).toContain('reaches no step');
  });

  it.each([
    ['a step that is not there', { ...decided, steps: decided.steps.slice(1) }],
    ['a condition that is not there', { ...decided, conditions: [] }],
    ['a contract that is not embedded', { ...decided, contracts: [] }],
    [
      'a loop inside of itself',
      {
        ...decided,
        loops: decided.loops.map((one) => ({ ...one, body: [...one.body, ...decided.walk.slice(1, 2)] })),
      },
    ],
    ['a loop that nothing reaches', { ...decided, walk: decided.walk.filter(({ kind }) => kind === 'step') }],
    [
      'a pattern that could take for ever',
      {
        ...decided,
        contracts: decided.contracts.map((one) => ({
          ...one,
          schema: { properties: { x: { pattern: '^(a+)+$' } } },
        })),
      },
    ],
  ])('is refused where a pinned workflow has %s', (_, broken) => {
    expect(start(broken)._unsafeUnwrapErr().code).toBe('STORE_WORKFLOW_CORRUPT');
  });
});
