import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type AppendPlan, type SessionId } from '../model';

/** Makes a session that existed elsewhere. */
export interface SessionImporter {
  /**
   * Append the plans, each as one segment and checked like any append, to a session that nobody sees; then publish it
   * under its id in one step. Whatever fails or dies before that leaves no session. SESSION_EXISTS where the id is taken,
   * in whatever health.
   */
  importSession(sessionId: SessionId, plans: Iterable<AppendPlan>): Promise<Result<void, RailyardError>>;
}
