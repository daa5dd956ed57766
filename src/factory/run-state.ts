/**
 * The state of one factory run, as the workflow holds it and the API shows it. Types only: JSON through and through,
 * so it survives a workflow's input, query and result unchanged.
 */
import type { JsonValue } from '../canonical';
import type { GateKind, PlannedTrigger } from './plan';

/** The seven states of the Block v2 document. */
export type BlockStatus = 'pending' | 'ready' | 'running' | 'done' | 'failed' | 'blocked' | 'waiting';

/**
 * `pausing`: nothing new starts, running blocks are ending; `cancelling` likewise after a cancel. The last three are
 * final. A `failed` run may be reopened by a retry or an override of one of its failed blocks.
 */
export type RunStatus =
  'running' | 'pausing' | 'paused' | 'cancelling' | 'completed' | 'failed' | 'cancelled';

/** An artifact as it stands in the content store; `digest` is `sha256:<hex>`. */
export interface ArtifactRef {
  readonly key: string;
  /** Absolute path in the workspace. */
  readonly path: string;
  readonly format: string;
  readonly digest: string;
  readonly bytes: number;
}

/** Why an attempt failed, from evidence. */
export type FailureClass =
  | 'error'
  | 'timeout'
  | 'missing_artifact'
  | 'metric_missing'
  | 'threshold_not_met'
  | 'gate_rejected'
  | 'cancelled';

/** How many records are in which state; the records themselves stay with the attempt. */
export type RecordCounts = Readonly<Record<string, number>>;

/** Another runtime than the block's performed it, since that one is not there. */
export interface StandIn {
  readonly ran: string;
  readonly asked: string;
}

/** What an execution of a skill came to. A skill's own failure is a result, not a thrown error. */
export type AttemptOutcome = { readonly standIn?: StandIn } & (
  | {
      readonly kind: 'succeeded';
      readonly artifacts: readonly ArtifactRef[];
      /** As the skill reported them; a metric that is not a finite number is kept as it came. */
      readonly metrics: Readonly<Record<string, unknown>>;
      readonly notes: string;
      readonly recordCounts: RecordCounts;
    }
  | {
      readonly kind: 'failed';
      readonly failure: Extract<FailureClass, 'error' | 'timeout' | 'missing_artifact' | 'cancelled'>;
      readonly error: string;
      readonly metrics: Readonly<Record<string, unknown>>;
    }
);

/** One finished attempt in a block's history. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly score: number | null;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly failure: FailureClass | null;
  readonly error: string | null;
}

/** What a person said when a gate was rejected; handed to the next attempt. */
export interface Feedback {
  readonly attempt: number;
  readonly from: string;
  readonly role: string;
  readonly text: string;
}

/** What set a block off. */
export interface FiredTrigger {
  readonly type: PlannedTrigger['type'];
  /** The idempotency key of the request, or the time of the tick. */
  readonly id: string;
  readonly by: string;
  readonly at: string;
  /** Null once the block is done: it stays in the request of its attempts. */
  readonly payload: JsonValue;
}

export interface BlockState {
  readonly status: BlockStatus;
  /** Retries consumed, as the Block v2 document counts them: 0 during the first execution. */
  readonly attempts: number;
  /** Which attempt is current, from 1; grows with every retry, whoever asked for it. Ids are derived from it. */
  readonly attempt: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly score: number | null;
  readonly error: string | null;
  readonly failure: FailureClass | null;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly notes: string;
  readonly recordCounts: RecordCounts;
  /** Of the current attempt, once it has succeeded. */
  readonly artifacts: readonly ArtifactRef[];
  readonly history: readonly AttemptRecord[];
  readonly feedback: readonly Feedback[];
  /** A missed threshold whose action is `warn`, and the like. */
  readonly warnings: readonly string[];
  /** What it was last set off by; absent: by nothing yet. Stays through retries. */
  readonly trigger?: FiredTrigger;
  /** When the cron of a block that waits for it is due next; null: it does not wait for it now. */
  readonly tick?: string | null;
  /** Of a block that runs again: its last good attempt, which others go on using until the next one is done. */
  readonly lastDone?: { readonly attempt: number; readonly artifacts: readonly ArtifactRef[] };
  /** Of a daemon without a trigger: which attempts of the blocks it depends on it last began with. */
  readonly ranOn?: Readonly<Record<string, number>>;
}

/** What a person asks for at a gate. */
export interface GateDecision {
  /** The request's idempotency key: the same id again gets the same answer. */
  readonly id: string;
  readonly block: string;
  /** Null: whichever gate of the block is open (or, early, its only one). */
  readonly gate: GateKind | null;
  readonly decision: 'approve' | 'reject';
  readonly approver: string;
  readonly role: string;
  readonly notes: string;
  /** With reject: `retry` (the default) or `abort`. */
  readonly action: 'retry' | 'abort';
  readonly feedback: string;
  /** With approve: pass a block that failed its threshold. Needs a justification. */
  readonly override: boolean;
  readonly justification: string;
  /** The attempt the person looked at; null: whichever is current. */
  readonly attempt: number | null;
  /** Digests of the artifacts the person was shown; null: not said. */
  readonly digests: readonly string[] | null;
}

/** How a gate opening ended. `by` is a person, `timeout` or the one who cancelled. */
export interface GateOutcome {
  readonly decision: 'approved' | 'rejected' | 'cancelled';
  readonly via: 'decision' | 'timeout' | 'cancel' | 'override' | 'standing';
  readonly by: string;
  readonly role: string;
  readonly action: 'retry' | 'abort' | null;
  readonly notes: string;
  readonly feedback: string;
  readonly justification: string;
  readonly at: string;
  /** What it was applied to: `block/key=sha256:…`, inputs then outputs. */
  readonly evidence: readonly string[];
}

/** One opening of one gate: (block, gate, attempt). */
export interface GateState {
  readonly block: string;
  readonly gate: GateKind;
  readonly attempt: number;
  readonly openedAt: string;
  readonly deadline: string | null;
  /** The deadline passed and the gate does not approve by itself. */
  readonly overdue: boolean;
  /** Approvals so far, under a quorum. */
  readonly votes: readonly {
    readonly approver: string;
    readonly role: string;
    readonly at: string;
    readonly id: string;
  }[];
  readonly outcome: GateOutcome | null;
}

/** What the person who sent an accepted decision hears. */
export type GateAnswer =
  | {
      /** It closed the gate. */
      readonly kind: 'decided';
      readonly block: string;
      readonly gate: GateKind;
      readonly attempt: number;
      readonly decision: 'approved' | 'rejected';
      readonly via: 'decision' | 'override';
    }
  | {
      /** One approval of a quorum that is not complete yet. */
      readonly kind: 'counted';
      readonly block: string;
      readonly gate: GateKind;
      readonly attempt: number;
      readonly have: number;
      readonly need: number;
    }
  | {
      /** The gate is not open yet; the decision is applied when it opens. */
      readonly kind: 'kept';
      readonly block: string;
      readonly gate: GateKind;
    };

/** A decision that was accepted, as far as it must be known again. */
export interface AcceptedDecision {
  readonly block: string;
  readonly decision: GateDecision['decision'];
  readonly answer: GateAnswer;
}

/** What the sender of a trigger or an event hears. */
export interface TriggerAnswer {
  readonly kind: 'trigger';
  /** The best that happened to any block. */
  readonly result: 'triggered' | 'kept' | 'no-listener';
  /** Blocks that it set off. */
  readonly triggered: readonly string[];
  /** Blocks that will take it when their turn has come. */
  readonly kept: readonly string[];
}

/** The triggers of a run, beyond those its blocks were set off by. */
export interface TriggerBook {
  /** Waiting until their block has done with the one before, oldest first. */
  readonly kept: readonly { readonly block: string; readonly trigger: FiredTrigger }[];
  /** The latest accepted ones: the same id again gets the same answer. `target` is a block or an event. */
  readonly seen: readonly {
    readonly id: string;
    readonly target: string;
    readonly answer: TriggerAnswer;
  }[];
}

export interface RunState {
  readonly status: RunStatus;
  /** Who started it; does not approve it unless a gate says so. */
  readonly startedBy: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Why it is paused, failed or cancelled, in words; null while all is well. */
  readonly reason: string | null;
  readonly blocks: Readonly<Record<string, BlockState>>;
  /** Every opening so far, oldest first. */
  readonly gates: readonly GateState[];
  /** Decisions that came before their gate opened. */
  readonly early: readonly GateDecision[];
  /** Every accepted decision by its id: the same one again gets the same answer. */
  readonly decisions: Readonly<Record<string, AcceptedDecision>>;
  /** Absent: nothing was triggered yet. */
  readonly triggers?: TriggerBook;
}
