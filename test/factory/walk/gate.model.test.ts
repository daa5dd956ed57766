import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Quorum } from '../../../src/factory/plan';
import type { GateDecision, GateOutcome } from '../../../src/factory/run-state';
import { apply, type WalkEvent } from '../../../src/factory/walk';
import { refusedForGood } from '../../../src/factory/walk/decide';
import {
  block,
  decision,
  failed,
  gate,
  plan,
  scored,
  STARTER,
  succeeded,
  threshold,
  Walker,
} from './fixtures';
import { GateModel, shown, type Ending, type Rules } from './gate-model';

function factory({ kind, rule, maxRetries, overrideAllowed }: Rules): Walker {
  const thresholds = [threshold({ overrideAllowed })];
  const a = block('a', { needs: ['up'], maxRetries, thresholds, [kind]: rule });
  return new Walker(plan([block('up'), a, block('b', { needs: ['a'] })]));
}

/** One thing that happens, to the model and to the walk. `make` sees the model to aim at the current attempt. */
class Happens implements fc.Command<GateModel, Walker> {
  constructor(
    private readonly name: string,
    private readonly make: (model: GateModel) => { event: WalkEvent; expected: () => string },
  ) {}

  check(): boolean {
    return true;
  }

  run(model: GateModel, walk: Walker): void {
    const { event, expected } = this.make(model);
    const closed = outcomes(walk);
    const result = apply(walk.plan, walk.state, event, walk.now);
    const said = result.isOk() ? result.value.answer.kind : result.error.code;
    if (event.type === 'gate-decision' && refusedForGood(walk.plan, walk.state, event.decision)) {
      // What the door turns away, the gate would not have accepted either.
      expect(result.isErr()).toBe(true);
    }
    if (result.isOk()) walk.send(event);
    expect([event, said]).toEqual([event, expected()]);

    const phases = { upstream: 'blocked', idle: 'pending', open: 'waiting' } as const;
    const { phase } = model;
    const status = phase === 'upstream' || phase === 'idle' || phase === 'open' ? phases[phase] : phase;
    const { attempt, attempts } = walk.block('a');
    expect([walk.status('a'), attempt, attempts]).toEqual([status, model.attempt, model.retries]);
    const run = model.run !== 'live' ? model.run : phase === 'failed' ? 'failed' : 'running';
    expect(walk.state.status).toBe(run);
    if (phase === 'open') {
      expect(walk.lastGate.votes.map(({ approver }) => approver)).toEqual(model.votes.map(({ who }) => who));
    }
    // One winner an opening: what is closed stays as it is, and no opening is there twice.
    expect(outcomes(walk)).toEqual(expect.objectContaining(closed));
    expect(new Set(walk.state.gates.map(name)).size).toBe(walk.state.gates.length);
  }

  toString(): string {
    return this.name;
  }
}

const name = ({ gate: kind, attempt }: { gate: string; attempt: number }): string => `${kind}#${attempt}`;

const outcomes = ({ state }: Walker): Record<string, GateOutcome> =>
  Object.fromEntries(state.gates.flatMap((one) => (one.outcome ? [[name(one), one.outcome]] : [])));

const ends = (ending: Ending, off: number): Happens =>
  new Happens(`ends ${ending} ${off}`, (model) => {
    const attempt = model.attempt + off;
    const digest = `v${attempt}`;
    const outcome = ending === 'error' ? failed() : scored(ending === 'good' ? 90 : 50, digest);
    return {
      event: { type: 'attempt-finished', block: 'a', attempt, outcome },
      expected: () => model.ends(attempt, ending),
    };
  });

const upstreamEnds = new Happens('up ends', (model) => ({
  event: { type: 'attempt-finished', block: 'up', attempt: 1, outcome: succeeded('in') },
  expected: () => model.upstreamEnds(),
}));

const timesOut = (off: number): Happens =>
  new Happens(`time-out ${off}`, (model) => {
    const attempt = model.attempt + off;
    const event = { type: 'gate-timeout', block: 'a', gate: model.rules.kind, attempt } as const;
    return { event, expected: () => model.timesOut(attempt) };
  });

const cancels = new Happens('cancel', (model) => ({
  event: { type: 'cancel', by: 'carl' },
  expected: () => model.cancelled(),
}));

type Aim = Pick<
  GateDecision,
  'id' | 'decision' | 'approver' | 'role' | 'action' | 'override' | 'justification'
> & {
  readonly off: number | null;
  readonly sight: 'none' | 'right' | 'wrong';
};

const decides = ({ off, sight, ...said }: Aim): Happens =>
  new Happens(`decide ${JSON.stringify({ ...said, off, sight })}`, (model) => {
    const kind = said.override ? 'after' : model.rules.kind;
    const seen = { none: null, right: [shown(kind, model.attempt)], wrong: ['sha256:old'] }[sight];
    const one = decision({ ...said, attempt: off === null ? null : model.attempt + off, digests: seen });
    return { event: { type: 'gate-decision', decision: one }, expected: () => model.decided(one) };
  });

const often = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: 6 },
    { arbitrary: fc.constantFrom(usual, ...rare), weight: 2 },
  );

const aim: fc.Arbitrary<Aim> = fc.record({
  // Few ids, so that some come again.
  id: fc.oneof(fc.uuid(), fc.constantFrom('x', 'y', 'z')),
  decision: fc.constantFrom('approve', 'approve', 'reject'),
  approver: fc.constantFrom('ann', 'bob', 'cleo', STARTER),
  role: fc.constantFrom('expert', 'tech_lead', 'stranger'),
  action: often<'retry' | 'abort'>('retry', 'abort'),
  override: often(false, true),
  justification: often('because', ''),
  off: often<number | null>(null, 0, -1, 1),
  sight: often<Aim['sight']>('none', 'right', 'wrong'),
});

const rules: fc.Arbitrary<Rules> = fc.record({
  kind: fc.constantFrom('before', 'after'),
  rule: fc
    .record({
      approvers: fc.constantFrom([], ['expert', 'tech_lead'], ['expert', 'tech_lead']),
      quorum: fc.constantFrom<Quorum[]>('any', 'all', 2, 3),
      autoApproveOnTimeout: fc.boolean(),
      selfApproval: fc.boolean(),
      timeoutMs: fc.constantFrom(null, 1000),
    })
    .map(gate),
  maxRetries: fc.nat({ max: 2 }),
  overrideAllowed: often(true, false),
});

test('a gate does what its model does, whatever happens and in whatever order', () => {
  const weigh = (weight: number, arbitrary: fc.Arbitrary<Happens>) => ({ weight, arbitrary });
  const happens = fc.oneof(
    weigh(3, fc.constant(upstreamEnds)),
    weigh(
      6,
      fc
        .tuple(fc.constantFrom<Ending>('good', 'good', 'low', 'error'), often(0, -1, 1))
        .map((one) => ends(...one)),
    ),
    weigh(12, aim.map(decides)),
    weigh(
      3,
      aim.map((one) => decides({ ...one, decision: 'approve', override: true })),
    ),
    weigh(2, often(0, -1, 1).map(timesOut)),
    weigh(1, fc.constant(cancels)),
  );
  fc.assert(
    fc.property(rules, fc.commands([happens], { maxCommands: 40, size: 'max' }), (one, commands) => {
      fc.modelRun(() => ({ model: new GateModel(one), real: factory(one) }), commands);
    }),
    { numRuns: 1000 },
  );
});

describe('decision, time-out and cancel at the same instant', () => {
  const contenders: Readonly<Record<string, WalkEvent>> = {
    approve: { type: 'gate-decision', decision: decision({ approver: 'ann' }) },
    reject: {
      type: 'gate-decision',
      decision: decision({ approver: 'bob', decision: 'reject', attempt: 1 }),
    },
    timeout: { type: 'gate-timeout', block: 'a', gate: 'after', attempt: 1 },
    cancel: { type: 'cancel', by: 'carl' },
  };
  const orders = permutations(Object.keys(contenders)).map((order) => ({ order, text: order.join(', ') }));

  test.each(orders)('$text: the first wins, and it alone', ({ order }) => {
    const walk = new Walker(
      plan([block('a', { after: gate({ timeoutMs: 1, autoApproveOnTimeout: true }) })]),
    );
    walk.finish('a');
    walk.tick = 0;
    for (const contender of order) {
      const event = contenders[contender];
      if (event && apply(walk.plan, walk.state, event, walk.now).isOk()) walk.send(event);
    }
    const winner = { approve: 'ann', reject: 'bob', timeout: 'timeout', cancel: 'carl' }[order[0] ?? ''];
    const first = walk.state.gates.filter(({ attempt }) => attempt === 1);
    expect(first.map(({ outcome }) => outcome?.by)).toEqual([winner]);
  });
});

function permutations(list: readonly string[]): string[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((head) =>
    permutations(list.filter((one) => one !== head)).map((tail) => [head, ...tail]),
  );
}
