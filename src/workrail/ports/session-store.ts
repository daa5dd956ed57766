import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import {
  type Appended,
  type AppendPlan,
  type DedupeKey,
  type DomainEvent,
  type ManifestRecord,
  type SessionHealth,
  type SessionId,
} from '../model';
import { type Projection } from './projection';

/**
 * What is known of a session, validated. It is the store's own view and grows when the store appends or reads more:
 * between two awaits it stands still.
 */
export interface Session {
  readonly sessionId: SessionId;
  readonly eventCount: number;
  /** Events from a place on, in order. */
  events(from?: number): readonly DomainEvent[];
  /** Manifest records from a place on, in order. */
  manifest(from?: number): readonly ManifestRecord[];
  /** The committed event with this key. */
  find(key: DedupeKey): DomainEvent | undefined;
  /** The state of a projection after the last event; only new events are applied. */
  project<State>(projection: Projection<State>): Readonly<State>;
}

/** What can be read of a session that may not be healthy; nobody may go on from it unless it is. */
export interface SessionPrefix {
  readonly session: Session;
  readonly health: SessionHealth;
  /** What ended the prefix; null: nothing did. */
  readonly reason: CorruptionReason | null;
}

/** Why a prefix ends where it does. */
export interface CorruptionReason {
  readonly code: CorruptionCode;
  /** For people: which record or file, relative to the session. */
  readonly message: string;
}

/** Closed, so that each has a test. */
export type CorruptionCode =
  | 'manifest_missing'
  | 'manifest_empty'
  | 'manifest_torn'
  | 'manifest_line_invalid'
  | 'manifest_order_invalid'
  | 'manifest_truncated'
  | 'segment_missing'
  | 'segment_digest_mismatch'
  | 'segment_bounds_invalid'
  | 'event_invalid'
  | 'event_order_invalid'
  | 'pin_missing'
  | 'pin_invalid'
  | 'snapshot_missing'
  | 'snapshot_corrupt'
  | 'workflow_missing'
  | 'workflow_corrupt'
  | 'unknown_version';

declare const witness: unique symbol;

/**
 * Proof of holding a healthy session's lock: made by the gate, dead when the gate's callback ends. Only the store can make
 * one, and it knows its own.
 */
export interface AppendWitness {
  readonly [witness]: true;
  readonly sessionId: SessionId;
}

/** Reading alone. What rehydrates gets this and cannot write. */
export interface SessionReader {
  /** Every session there is, sorted by id. */
  list(): Promise<Result<readonly SessionId[], RailyardError>>;
  /** A healthy session; anything else is SESSION_NOT_FOUND, SESSION_CORRUPT or SESSION_UNKNOWN_VERSION. */
  load(sessionId: SessionId): Promise<Result<Session, RailyardError>>;
  /** The validated beginning of a session in any health. */
  loadValidatedPrefix(sessionId: SessionId): Promise<Result<SessionPrefix, RailyardError>>;
}

/** Reading and writing. */
export interface SessionStore extends SessionReader {
  /**
   * Hold a session's lock, see that it is healthy (a session that does not exist is, and empty), and do something with
   * a witness. SESSION_LOCKED after a bounded wait.
   */
  withSession<T, E>(
    sessionId: SessionId,
    work: (session: Session, witness: AppendWitness) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | RailyardError>>;
  /**
   * The one durable mutation. Plans are judged in order, each by its own first key; those that are not there yet become
   * one segment, all or nothing.
   */
  append(
    witness: AppendWitness,
    plans: readonly AppendPlan[],
  ): Promise<Result<readonly Appended[], RailyardError>>;
}
