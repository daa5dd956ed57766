/**
 * The audit of a run: who decided what, when and on which digests; every attempt, every gap, every divergence. Made from the
 * session alone: the facts are walked through once more, and each is told with what the walk made of it; gaps, divergences
 * and capabilities are what the session's events say of them. JSON all through; paths are relative to the workspace.
 */
import { relative } from 'node:path/posix';
import { type JsonObject, type JsonValue } from '../canonical';
import { type GateKind } from '../factory/plan';
import {
  type ArtifactRef,
  type FailureClass,
  type GateOutcome,
  type GateState,
  type RunState,
  type StandIn,
} from '../factory/run-state';
import { apply, startRun, type Step, type WalkEvent } from '../factory/walk';
import { attemptInput } from '../factory/walk/attempt-input';
import { type DomainEvent } from '../workrail/model';
import { type Fact } from './facts';
import { type RunFold, type RunFrame } from './fold';
import { type DriverContext, type StartContext } from './opening';

/** What the contexts of a factory's own run say, each a part of it. */
type FactoryContext = Partial<StartContext> & { readonly driver?: DriverContext };

/** Times are ISO 8601; `event` is the place of an event in the session, `fact` that of a fact among the facts. */
export interface RunAudit {
  readonly version: 1;
  readonly run: string;
  readonly session: { readonly id: string; readonly events: number; readonly last_event: string };
  readonly factory: { readonly id: string; readonly name: string; readonly hash: string };
  readonly parameters: JsonObject;
  readonly started: { readonly by: string; readonly at: string };
  readonly status: RunState['status'];
  readonly reason: string | null;
  readonly ended_at: string | null;
  /** Who drove the run: the first since its start, each further one since it took the run over. */
  readonly drivers: readonly AuditedDriver[];
  readonly attempts: readonly AuditedAttempt[];
  /** Every opening of every gate, and how it ended. */
  readonly gates: readonly AuditedGate[];
  /** Everything that people said at gates, in order, with what came of it. */
  readonly decisions: readonly AuditedDecision[];
  /** Pauses, cancels, retries, triggers, ticks, deadlines: what was asked of the run or fired in it. */
  readonly controls: readonly AuditedControl[];
  readonly gaps: readonly AuditedGap[];
  readonly divergences: readonly AuditedDivergence[];
  readonly capabilities: readonly AuditedCapability[];
  readonly warnings: readonly { readonly at: string; readonly block: string; readonly text: string }[];
}

export interface AuditedDriver {
  readonly event: number;
  readonly at: string;
  readonly epoch: number;
  readonly workflow: string;
  readonly by: string;
  readonly deadlines_began_anew: boolean;
}

export interface AuditedAttempt {
  readonly block: string;
  readonly attempt: number;
  readonly started_at: string;
  readonly inputs: readonly { readonly block: string; readonly key: string; readonly digest: string }[];
  /** How many rejections with feedback it was told of. */
  readonly feedback: number;
  readonly trigger: { readonly type: string; readonly payload: JsonValue } | null;
  /** Null: it has not ended, or nobody has said so. */
  readonly end: AuditedEnd | null;
}

export interface AuditedEnd {
  readonly fact: number;
  readonly at: string;
  /** What the skill came to. */
  readonly outcome: 'succeeded' | 'failed';
  /** What the walk made of it: `continue`, `await_approval`, `retry`, `failed`. */
  readonly result: string;
  readonly failure: FailureClass | null;
  readonly error: string | null;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly notes: string;
  readonly artifacts: readonly ArtifactRef[];
  readonly stand_in: StandIn | null;
}

export interface AuditedGate {
  readonly block: string;
  readonly gate: GateKind;
  readonly attempt: number;
  readonly opened_at: string;
  readonly deadline: string | null;
  readonly overdue: boolean;
  readonly votes: GateState['votes'];
  /** With the evidence it was applied to: `block/key=sha256:…`. Null: it is open. */
  readonly outcome: GateOutcome | null;
}

export interface AuditedDecision {
  readonly fact: number;
  readonly at: string;
  readonly id: string;
  readonly block: string;
  readonly gate: GateKind | null;
  readonly attempt: number | null;
  readonly person: string;
  readonly role: string;
  readonly said: 'approve' | 'reject' | 'override';
  readonly action: 'retry' | 'abort' | null;
  readonly notes: string;
  readonly feedback: string;
  readonly justification: string;
  /** Digests that the person said they were shown; null: they did not say. */
  readonly shown: readonly string[] | null;
  /** `decided`: it ended the opening. `counted`: a vote. `kept`: the gate was not open yet. */
  readonly result: string;
}

export interface AuditedControl {
  readonly fact: number;
  readonly at: string;
  readonly what: Exclude<WalkEvent['type'], 'attempt-finished' | 'gate-decision' | 'taken-over'>;
  /** Null: nobody asked for it, its time had come. */
  readonly by: string | null;
  readonly block: string | null;
  /** What else was said: a reason, an id, a payload, the time of a tick. */
  readonly detail: JsonObject;
  readonly result: string;
}

export interface AuditedGap {
  readonly gap: string;
  readonly event: number;
  readonly at: string;
  readonly block: string | null;
  readonly severity: string;
  readonly reason: string;
  readonly summary: string;
  /** Null: it is open. */
  readonly resolved: { readonly event: number; readonly at: string; readonly summary: string } | null;
}

export interface AuditedDivergence {
  readonly event: number;
  readonly at: string;
  readonly block: string | null;
  readonly reason: string;
  readonly summary: string;
}

export interface AuditedCapability {
  readonly event: number;
  readonly at: string;
  readonly block: string | null;
  readonly capability: string;
  readonly status: string;
  /** What was seen of it. */
  readonly provenance: string;
}

/** Audit a run: its frame, its fold, and the events that the fold was made of. */
export function auditOf(frame: RunFrame, fold: RunFold, events: readonly DomainEvent[]): RunAudit {
  const { run, sessionId, compiled, plan } = frame;
  const { state } = fold;
  const narration = new Narration(frame, fold);
  return {
    version: 1,
    run,
    session: { id: sessionId, events: events.length, last_event: events.at(-1)?.eventId ?? '' },
    factory: { id: compiled.factory.id, name: compiled.factory.name, hash: plan.factoryHash },
    ...startOf(frame, fold, events),
    status: state.status,
    reason: state.reason,
    ended_at: state.endedAt,
    ...narration.told(),
    gaps: gapsIn(frame, events),
    ...observedIn(frame, events),
  };
}

/** The facts, walked through once more. */
class Narration {
  private readonly attempts = new Map<string, AuditedAttempt>();
  private readonly gates = new Map<string, GateState>();
  private readonly decisions: AuditedDecision[] = [];
  private readonly controls: AuditedControl[] = [];
  private readonly warnings: RunAudit['warnings'][number][] = [];

  constructor(
    private readonly frame: RunFrame,
    { startedAt, facts, state }: RunFold,
  ) {
    const start = startRun(frame.plan, { startedBy: state.startedBy }, startedAt);
    this.follow(start, null, startedAt);
    let before = start.state;
    for (const fact of facts) {
      const step = apply(frame.plan, before, fact.event, fact.at);
      if (step.isErr()) throw new Error(`Bug: fact ${fact.seq} was folded and is refused`);
      this.tell(fact, step.value);
      this.follow(step.value, before, fact.at);
      before = step.value.state;
    }
  }

  told(): Pick<RunAudit, 'attempts' | 'gates' | 'decisions' | 'controls' | 'warnings'> {
    const { decisions, controls, warnings } = this;
    const gates = [...this.gates.values()].map(({ openedAt, ...opening }) => ({
      ...opening,
      opened_at: openedAt,
    }));
    return { attempts: [...this.attempts.values()], gates, decisions, controls, warnings };
  }

  private tell(fact: Fact, step: Step): void {
    const { seq, event } = fact;
    const at = iso(fact.at);
    const result = resultOf(step);
    if (event.type === 'attempt-finished') this.attemptEnded(fact, event, step, result);
    else if (event.type === 'gate-decision') {
      const { decision } = event;
      const { answer } = step;
      const where = answer.kind === 'decided' || answer.kind === 'counted' ? answer : decision;
      this.decisions.push({
        ...{
          fact: seq,
          at,
          id: decision.id,
          block: decision.block,
          gate: where.gate,
          attempt: where.attempt,
        },
        ...{ person: decision.approver, role: decision.role },
        said: decision.decision === 'approve' && decision.override ? 'override' : decision.decision,
        action: decision.decision === 'reject' ? decision.action : null,
        ...{ notes: decision.notes, feedback: decision.feedback, justification: decision.justification },
        ...{ shown: decision.digests, result },
      });
    } else if (event.type !== 'taken-over') {
      const { type: what, ...said } = event;
      const { by = null, block = null, ...detail } = { by: undefined, block: undefined, ...said };
      this.controls.push({ fact: seq, at, what, by, block, detail, result });
    }
  }

  private attemptEnded(
    { seq, at }: Fact,
    { block, attempt, outcome }: Extract<WalkEvent, { type: 'attempt-finished' }>,
    { state }: Step,
    result: string,
  ): void {
    const key = `${block} ${attempt}`;
    const began = this.attempts.get(key);
    if (!began) throw new Error(`Bug: the attempt ${attempt} of ${block} has ended and not begun`);
    const missed = result === 'retry' || result === 'failed';
    const last = missed ? state.blocks[block]?.history.at(-1) : undefined;
    const end: AuditedEnd = {
      ...{ fact: seq, at: iso(at), outcome: outcome.kind, result },
      failure: last?.failure ?? (outcome.kind === 'failed' ? outcome.failure : null),
      error: last?.error ?? (outcome.kind === 'failed' ? outcome.error : null),
      metrics: outcome.metrics,
      notes: outcome.kind === 'succeeded' ? outcome.notes : '',
      artifacts: outcome.kind === 'succeeded' ? outcome.artifacts.map((one) => this.here(one)) : [],
      stand_in: outcome.standIn ?? null,
    };
    this.attempts.set(key, { ...began, end });
  }

  /** What a step led to: attempts that begin, gates that open and end, warnings. */
  private follow({ state, effects }: Step, before: RunState | null, at: number): void {
    for (const effect of effects) {
      if (effect.type === 'start-attempt') this.attemptBegins(state, effect.block, effect.attempt, at);
    }
    for (const gate of state.gates) this.gates.set(`${gate.block} ${gate.gate} ${gate.attempt}`, gate);
    for (const { id } of this.frame.plan.blocks) {
      const [was, is] = [before?.blocks[id]?.warnings ?? [], state.blocks[id]?.warnings ?? []];
      if (was === is) continue;
      for (const text of is.filter((one) => !was.includes(one))) {
        this.warnings.push({ at: iso(at), block: id, text });
      }
    }
  }

  private attemptBegins(state: RunState, block: string, attempt: number, at: number): void {
    const { inputs, feedback, trigger } = attemptInput(this.frame.plan, state, this.frame.run, block);
    this.attempts.set(`${block} ${attempt}`, {
      ...{ block, attempt, started_at: iso(at), feedback: feedback.length, end: null },
      inputs: inputs.map(({ block: from, artifact: { key, digest } }) => ({ block: from, key, digest })),
      trigger: trigger ? { type: trigger.type, payload: trigger.payload } : null,
    });
  }

  private here(artifact: ArtifactRef): ArtifactRef {
    return { ...artifact, path: relative(this.frame.workspace, artifact.path) };
  }
}

function startOf(
  { ids }: RunFrame,
  { state, startedAt }: RunFold,
  events: readonly DomainEvent[],
): Pick<RunAudit, 'parameters' | 'started' | 'drivers'> {
  const contexts = events.flatMap((event) => {
    if (event.kind !== 'context_set' || event.scope.runId !== ids.factory) return [];
    // Written by `startPlan` and `takeOverPlan`, and nobody else writes to this run.
    return [{ event, context: event.data.context as unknown as FactoryContext }];
  });
  return {
    parameters: contexts[0]?.context.parameters ?? {},
    started: { by: state.startedBy, at: iso(startedAt) },
    drivers: contexts.flatMap(({ event, context: { driver } }) =>
      driver
        ? {
            ...{ event: event.eventIndex, at: timeOf(event), epoch: driver.epoch },
            ...{ workflow: driver.workflow_id, by: driver.by },
            deadlines_began_anew: driver.restart_deadlines,
          }
        : [],
    ),
  };
}

function gapsIn({ blockOf }: RunFrame, events: readonly DomainEvent[]): AuditedGap[] {
  const gaps = new Map<string, AuditedGap>();
  for (const event of events) {
    if (event.kind !== 'gap_recorded') continue;
    const { gapId, severity, reason, summary, resolution } = event.data;
    const at = timeOf(event);
    if (resolution.kind === 'resolves') {
      const open = gaps.get(resolution.resolvesGapId);
      if (open && !open.resolved) {
        gaps.set(open.gap, { ...open, resolved: { event: event.eventIndex, at, summary } });
      }
      continue;
    }
    gaps.set(gapId, {
      ...{ gap: gapId, event: event.eventIndex, at, block: blockOf.get(event.scope.runId) ?? null },
      ...{ severity, reason: `${reason.category}:${reason.detail}`, summary, resolved: null },
    });
  }
  return [...gaps.values()];
}

function observedIn(
  { blockOf }: RunFrame,
  events: readonly DomainEvent[],
): Pick<RunAudit, 'divergences' | 'capabilities'> {
  const divergences: AuditedDivergence[] = [];
  const capabilities: AuditedCapability[] = [];
  for (const event of events) {
    if (event.kind !== 'divergence_recorded' && event.kind !== 'capability_observed') continue;
    const block = blockOf.get(event.scope.runId) ?? null;
    const seen = { event: event.eventIndex, at: timeOf(event), block };
    if (event.kind === 'divergence_recorded') {
      divergences.push({ ...seen, reason: event.data.reason, summary: event.data.summary });
    } else {
      const { capability, status, provenance } = event.data;
      capabilities.push({ ...seen, capability, status, provenance: provenance.kind });
    }
  }
  return { divergences, capabilities };
}

/** What the walk made of an event, in a word. */
function resultOf({ answer }: Step): string {
  switch (answer.kind) {
    case 'completed':
      return answer.completion.action;
    case 'timed-out':
    case 'trigger':
      return answer.result;
    case 'run':
      return answer.status;
    default:
      return answer.kind;
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
const timeOf = ({ timestampMs }: DomainEvent): string => iso(timestampMs ?? 0);
