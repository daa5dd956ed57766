/** Small plans, and a driver that walks them and checks what must hold after every step. */
import { expect } from '@jest/globals';
import type { JsonValue } from '../../../src/canonical';
import type { RailyardError } from '../../../src/errors';
import type { GateKind, GateRule, PlannedBlock, ThresholdRule, WalkPlan } from '../../../src/factory/plan';
import type {
  ArtifactRef,
  AttemptOutcome,
  BlockState,
  BlockStatus,
  GateDecision,
  GateState,
  RunState,
} from '../../../src/factory/run-state';
import {
  apply,
  startRun,
  TRANSITIONS,
  type Answer,
  type Effect,
  type Move,
  type Step,
  type WalkEvent,
} from '../../../src/factory/walk';

export const STARTER = 'sam';
export const NOON = Date.parse('2026-01-01T12:00:00.000Z');

export const gate = (rule: Partial<GateRule> = {}): GateRule => ({
  approvers: [],
  quorum: 'any',
  timeoutMs: null,
  autoApproveOnTimeout: false,
  selfApproval: false,
  ...rule,
});

export const threshold = (rule: Partial<ThresholdRule> = {}): ThresholdRule => ({
  metric: 'overall_score',
  min: 85,
  action: 'fail',
  overrideAllowed: true,
  ...rule,
});

interface BlockSketch extends Partial<Omit<PlannedBlock, 'id' | 'depends' | 'gates'>> {
  /** Ids of the blocks whose artifact `out` it needs. */
  readonly needs?: readonly string[];
  readonly before?: GateRule;
  readonly after?: GateRule;
}

/** A block that leaves one artifact, `out`, and has two retries. */
export function block(id: string, { needs = [], before, after, ...rest }: BlockSketch = {}): PlannedBlock {
  return {
    id,
    depends: needs.map((upstream) => ({ block: upstream, key: 'out' })),
    artifacts: ['out'],
    group: null,
    gates: { before: before ?? null, after: after ?? null },
    thresholds: [],
    maxRetries: 2,
    timeoutMs: 300_000,
    ...rest,
  };
}

/** A plan of these blocks; `limits` gives the groups that have one. */
export function plan(
  blocks: readonly PlannedBlock[],
  limits: Readonly<Record<string, number>> = {},
): WalkPlan {
  const names = [...new Set(blocks.flatMap(({ group }) => group ?? []))];
  return {
    factory: 'test',
    factoryHash: 'sha256:0',
    blocks,
    groups: names.map((name) => ({
      name,
      blocks: blocks.filter(({ group }) => group === name).map(({ id }) => id),
      maxConcurrent: limits[name] ?? null,
    })),
  };
}

export const artifact = (key: string, digest: string): ArtifactRef => ({
  key,
  path: `/w/${key}`,
  format: 'json',
  digest: `sha256:${digest}`,
  bytes: 1,
});

/** A success that leaves `out` with this digest. */
export const succeeded = (
  digest = 'aa',
  metrics: Readonly<Record<string, unknown>> = {},
): AttemptOutcome => ({
  kind: 'succeeded',
  artifacts: [artifact('out', digest)],
  metrics,
  notes: '',
  recordCounts: {},
});

export const scored = (overall_score: unknown, digest = 'aa'): AttemptOutcome =>
  succeeded(digest, { overall_score });

type SkillFailure = Extract<AttemptOutcome, { kind: 'failed' }>['failure'];

export const failed = (failure: SkillFailure = 'error', error = 'boom'): AttemptOutcome => ({
  kind: 'failed',
  failure,
  error,
  metrics: {},
});

let serial = 0;

/** An approval of block `a` by ann, unless told otherwise; each has its own id. */
export const decision = (fields: Partial<GateDecision> = {}): GateDecision => ({
  id: `d${(serial += 1)}`,
  block: 'a',
  gate: null,
  decision: 'approve',
  approver: 'ann',
  role: 'expert',
  notes: '',
  action: 'retry',
  feedback: '',
  override: false,
  justification: '',
  attempt: null,
  digests: null,
  ...fields,
});

/** A call that triggers a block by hand. */
export const triggerOf = (id: string, payload: JsonValue = null, key = `t${(serial += 1)}`): WalkEvent => ({
  type: 'trigger',
  block: id,
  via: 'manual',
  id: key,
  by: 'tom',
  payload,
});

/** Walks a plan as a driver would. States are frozen, so a step that wrote to one would throw. */
export class Walker {
  state: RunState;
  now = NOON;
  /** Milliseconds between two events; 0 lets them come at the same instant. */
  tick = 1000;
  effects: readonly Effect[] = [];
  answer: Answer;
  readonly moves: Move[] = [];
  readonly started: string[] = [];

  constructor(readonly plan: WalkPlan) {
    freeze(plan);
    const step = startRun(plan, { startedBy: STARTER }, this.now);
    this.state = step.state;
    this.answer = step.answer;
    this.take(step);
  }

  send(event: WalkEvent): Answer {
    this.now += this.tick;
    const result = apply(this.plan, this.state, event, this.now);
    if (result.isErr()) throw new Error(`refused: ${JSON.stringify(result.error)}`);
    this.take(result.value);
    return this.answer;
  }

  refusal(event: WalkEvent): RailyardError {
    const result = apply(this.plan, this.state, event, this.now);
    if (result.isOk()) throw new Error(`accepted: ${JSON.stringify(result.value.answer)}`);
    return result.error;
  }

  /** The current attempt of the block ends. */
  finish(id: string, outcome: AttemptOutcome = succeeded()): Answer {
    return this.send({ type: 'attempt-finished', block: id, attempt: this.block(id).attempt, outcome });
  }

  decide(fields: Partial<GateDecision> = {}): Answer {
    return this.send({ type: 'gate-decision', decision: decision(fields) });
  }

  refused(fields: Partial<GateDecision> = {}): RailyardError {
    return this.refusal({ type: 'gate-decision', decision: decision(fields) });
  }

  /** Somebody triggers the block; each call is a trigger of its own unless it says its id. */
  trigger(id: string, payload: JsonValue = null, key = `t${(serial += 1)}`): Answer {
    return this.send(triggerOf(id, payload, key));
  }

  event(name: string, payload: JsonValue = null, key = `e${(serial += 1)}`): Answer {
    return this.send({ type: 'event', name, id: key, by: 'eve', payload });
  }

  timeOut(id: string, kind: GateKind, attempt = this.block(id).attempt): Answer {
    return this.send({ type: 'gate-timeout', block: id, gate: kind, attempt });
  }

  block(id: string): BlockState {
    const state = this.state.blocks[id];
    if (!state) throw new Error(`no block ${id}`);
    return state;
  }

  status(id: string): BlockStatus {
    return this.block(id).status;
  }

  /** `a:done b:running`, in plan order. */
  get statuses(): string {
    return this.plan.blocks.map(({ id }) => `${id}:${this.status(id)}`).join(' ');
  }

  get lastGate(): GateState {
    const last = this.state.gates.at(-1);
    if (!last) throw new Error('no gate has opened');
    return last;
  }

  /** The states a block went through, from its first. */
  trail(id: string): string {
    const moves = this.moves.filter((move) => move.block === id);
    return [moves[0]?.from, ...moves.map(({ to }) => to)].join(' ');
  }

  private take({ state, effects, moves, answer }: Step): void {
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    for (const { from, to } of moves) {
      expect(TRANSITIONS.some((row) => row.from === from && row.to === to)).toBe(true);
    }
    this.moves.push(...moves);
    for (const effect of effects) {
      if (effect.type === 'start-attempt') this.started.push(`${effect.block}#${effect.attempt}`);
    }
    this.state = freeze(state);
    this.effects = effects;
    this.answer = answer;
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
