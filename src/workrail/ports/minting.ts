import { type EventId, type SessionId } from '../model';

/** What is random or of the clock; ids of anything a retry may write again are derived instead. */
export interface Minting {
  sessionId(): SessionId;
  eventId(): EventId;
  /** For people only. */
  nowMs(): number;
}
