/** What goes into the walk and what comes out of it. Types only, JSON all through. */
import type { JsonValue } from '../../canonical';
import type { GateKind } from '../plan';
import type {
  AttemptOutcome,
  BlockStatus,
  FailureClass,
  GateAnswer,
  GateDecision,
  RunState,
  RunStatus,
  TriggerAnswer,
} from '../run-state';

/** Set off one block. */
export interface TriggerRequest {
  readonly type: 'trigger';
  readonly block: string;
  /** Must be the type of the block's trigger. */
  readonly via: 'manual' | 'webhook';
  /** The idempotency key: the same id again is the same trigger. */
  readonly id: string;
  readonly by: string;
  readonly payload: JsonValue;
}

/** Tell all blocks that wait for it that something happened. */
export interface EventRequest {
  readonly type: 'event';
  readonly name: string;
  /** The idempotency key: the same id again is the same event. */
  readonly id: string;
  readonly by: string;
  readonly payload: JsonValue;
}

/** What happened, or what a person asks for. */
export type WalkEvent =
  | {
      readonly type: 'attempt-finished';
      readonly block: string;
      readonly attempt: number;
      readonly outcome: AttemptOutcome;
    }
  | { readonly type: 'gate-decision'; readonly decision: GateDecision }
  | {
      readonly type: 'gate-timeout';
      readonly block: string;
      readonly gate: GateKind;
      readonly attempt: number;
    }
  | TriggerRequest
  | EventRequest
  /** The cron of a block was due at this time. */
  | { readonly type: 'tick'; readonly block: string; readonly due: string }
  | { readonly type: 'pause'; readonly by: string }
  | { readonly type: 'resume'; readonly by: string }
  | { readonly type: 'cancel'; readonly by: string; readonly reason?: string }
  | { readonly type: 'retry-block'; readonly block: string; readonly by: string }
  /** Another workflow, perhaps on another machine, drives the run from here on. */
  | {
      readonly type: 'taken-over';
      readonly epoch: number;
      readonly by: string;
      /** The run has stood still: what was left of an open gate's time begins anew. */
      readonly restartDeadlines: boolean;
    };

/** What the driver does next. Each names its attempt, so doing it twice can be noticed. */
export type Effect =
  | { readonly type: 'start-attempt'; readonly block: string; readonly attempt: number }
  | { readonly type: 'cancel-attempt'; readonly block: string; readonly attempt: number }
  | {
      readonly type: 'start-gate-timer';
      readonly block: string;
      readonly gate: GateKind;
      readonly attempt: number;
      readonly afterMs: number;
    }
  | {
      readonly type: 'stop-gate-timer';
      readonly block: string;
      readonly gate: GateKind;
      readonly attempt: number;
    }
  | {
      readonly type: 'start-tick-timer';
      readonly block: string;
      /** The tick's own time. */
      readonly due: string;
      readonly afterMs: number;
    };

/** What a finished attempt leads to, in the words of the Block v2 document. */
export type Completion =
  | { readonly action: 'retry' }
  | { readonly action: 'failed'; readonly reason: FailureClass }
  | { readonly action: 'await_approval'; readonly gate: string }
  | { readonly action: 'continue' };

/** What the sender of an accepted event hears. */
export type Answer =
  | GateAnswer
  | TriggerAnswer
  /** Start, pause, resume, cancel; `changed` is false when there was nothing to do. */
  | { readonly kind: 'run'; readonly status: RunStatus; readonly changed: boolean }
  | { readonly kind: 'completed'; readonly block: string; readonly completion: Completion }
  | { readonly kind: 'timed-out'; readonly block: string; readonly result: 'approved' | 'overdue' }
  | { readonly kind: 'retrying'; readonly block: string; readonly attempt: number }
  /** It came too late to matter; nothing changed. */
  | {
      readonly kind: 'ignored';
      readonly why: string;
      /** Epoch milliseconds: when the same would matter. */
      readonly until?: number;
    };

/** One transition that a step made. */
export interface Move {
  readonly block: string;
  readonly attempt: number;
  readonly from: BlockStatus;
  readonly to: BlockStatus;
}

/** The result of one event. */
export interface Step {
  readonly state: RunState;
  /** In the order in which they are to be done. */
  readonly effects: readonly Effect[];
  /** Every transition of this step, in order: more than a comparison of the states would show. */
  readonly moves: readonly Move[];
  readonly answer: Answer;
}
