/** What goes into the walk and what comes out of it. Types only, JSON all through. */
import type { GateKind } from '../plan';
import type {
  AttemptOutcome,
  BlockStatus,
  FailureClass,
  GateAnswer,
  GateDecision,
  RunState,
  RunStatus,
} from '../run-state';

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
  | { readonly type: 'pause'; readonly by: string }
  | { readonly type: 'resume'; readonly by: string }
  | { readonly type: 'cancel'; readonly by: string; readonly reason?: string }
  | { readonly type: 'retry-block'; readonly block: string; readonly by: string };

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
  /** Start, pause, resume, cancel; `changed` is false when there was nothing to do. */
  | { readonly kind: 'run'; readonly status: RunStatus; readonly changed: boolean }
  | { readonly kind: 'completed'; readonly block: string; readonly completion: Completion }
  | { readonly kind: 'timed-out'; readonly block: string; readonly result: 'approved' | 'overdue' }
  | { readonly kind: 'retrying'; readonly block: string; readonly attempt: number }
  /** It came too late to matter; nothing changed. */
  | { readonly kind: 'ignored'; readonly why: string };

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
