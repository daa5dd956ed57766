import { type AttemptId, type EventId, type SessionId } from '../model';

/** What is random or of the clock; ids of anything a retry may write again are derived instead. */
export interface Minting {
  sessionId(): SessionId;
  eventId(): EventId;
  /** An attempt that nobody has made yet: what is acknowledged with it is a branch of its own. */
  attemptId(): AttemptId;
  /** For people only. */
  nowMs(): number;
}
