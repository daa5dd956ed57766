import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type SessionId } from '../model';

/** What retention does to sessions. */
export interface SessionShelf {
  /** When the session's manifest was last written, by the file system's clock. */
  touchedMs(sessionId: SessionId): Promise<Result<number, RailyardError>>;
  /**
   * Take the session away, all of it and in one step for readers, while holding its lock. SESSION_LOCKED where somebody writes to
   * it, SESSION_EXISTS where it has other than `eventCount` events by now: it lives.
   */
  remove(sessionId: SessionId, eventCount: number): Promise<Result<void, RailyardError>>;
}

/** A piece of content as it lies there. */
export interface StoredContent {
  readonly digest: string;
  readonly bytes: number;
  /** When it was last put, by the file system's clock. */
  readonly touchedMs: number;
}

/**
 * What garbage collection does to one kind of content. It relies on two things of whoever puts content: that putting what is
 * there already touches it, so that what a session is about to pin is young; and that nobody trusts his memory of what is
 * there for as long as the grace period.
 */
export interface ContentShelf {
  list(): Promise<Result<readonly StoredContent[], RailyardError>>;
  /** Remove it, unless it was touched at this time or later. Answers whether it is gone. */
  remove(digest: string, untouchedSinceMs: number): Promise<Result<boolean, RailyardError>>;
}

/** Sessions that no time limit ends: those a person wants kept, and those somebody is still to go on with. */
export interface KeepList {
  read(): Promise<Result<ReadonlySet<SessionId>, RailyardError>>;
}

/** Content that must stay, by kind, as digests. */
export interface Roots {
  readonly snapshots: ReadonlySet<string>;
  readonly workflows: ReadonlySet<string>;
  readonly artifacts: ReadonlySet<string>;
}

/** Somebody besides the sessions who refers to content: the records of factory runs keep artifacts in the same place. */
export interface RootSource {
  roots(): Promise<Result<Roots, RailyardError>>;
}
