/**
 * Somebody who runs a session together with agents: a factory. It says where agents may act in its session, tells them
 * what the workflow's own text does not say, and takes part in what they record. Sessions of agents alone have none.
 */
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type Advance } from '../engine';
import { type AppendPlan, type NodeId, type RunId } from '../model';
import { type Session } from '../ports';

/** What a steward says of one place. */
export interface Tended {
  /** Why nothing can be acknowledged there; null: it can. */
  readonly refusal: RailyardError | null;
  /** Told with the step: where things are, and what was said of earlier attempts. */
  readonly briefing: string;
}

/** An acknowledgement that has been judged by the workflow alone. */
export interface TendedAttempt {
  readonly session: Session;
  readonly runId: RunId;
  readonly nodeId: NodeId;
  readonly judged: Advance;
  /** As handed in. */
  readonly notesMarkdown: string;
  readonly artifacts: readonly unknown[];
  /** The plan of the attempt, on the session as it is under its lock, for this judgement. */
  plan(session: Session, judged: Advance): Result<AppendPlan, RailyardError>;
}

export interface Steward {
  /** Null: the session has no steward. */
  at(session: Session, runId: RunId, nodeId: NodeId): Promise<Result<Tended | null, RailyardError>>;
  /** Where agents can go on in this session; null: it has no steward. */
  open(
    session: Session,
  ): Promise<Result<readonly { readonly runId: RunId; readonly nodeId: NodeId }[] | null, RailyardError>>;
  /** Record an attempt at a place whose refusal is null; whether it has been recorded the caller reads from the session. */
  record(attempt: TendedAttempt): Promise<Result<Session, RailyardError>>;
}

/** Of sessions that agents have for themselves. */
export const nobody: Steward = {
  at: () => Promise.resolve(ok(null)),
  open: () => Promise.resolve(ok(null)),
  record: () => {
    throw new Error('Bug: a session without a steward');
  },
};
