/** From the system's errors to the store's. */
import { err, type Result } from 'neverthrow';
import { hasCode, isErrno } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { type SessionId } from '../model';
import { type SessionPrefix } from '../ports';

/** What the system said, as the store says it. What is no error of the system is a bug, and is thrown on. */
export function storeFailure(doing: string, error: unknown): RailyardError {
  if (!isErrno(error)) throw error;
  const details = { errno: error.code };
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
    return problem('STORE_FULL', `There is no room left on the disk of the store (${doing}).`, { details });
  }
  return problem('STORE_IO', `The store could not go on (${doing}): ${error.code}.`, { details });
}

/** Do something with files; the system's errors become Results. */
export async function guarded<T, E>(
  doing: string,
  work: () => Promise<Result<T, E>>,
): Promise<Result<T, E | RailyardError>> {
  try {
    return await work();
  } catch (error) {
    return err(storeFailure(doing, error));
  }
}

export const notFound = (sessionId: SessionId): RailyardError =>
  problem('SESSION_NOT_FOUND', `There is no session ${sessionId} in this store.`, { details: { sessionId } });

export const locked = (sessionId: SessionId): RailyardError =>
  problem('SESSION_LOCKED', `Another process is writing to the session ${sessionId}.`, {
    details: { sessionId },
  });

/** Who holds a session's gate cannot wait for it. */
export const nested = (sessionId: SessionId): RailyardError =>
  problem('STORE_INVARIANT_VIOLATION', `The gate of the session ${sessionId} was asked for inside itself.`, {
    details: { sessionId },
  });

/** Why a session that is not healthy cannot be gone on with. */
export function unhealthy({ session, health, reason }: SessionPrefix): RailyardError {
  const { sessionId, eventCount } = session;
  const what = reason?.message ?? 'it cannot be read';
  const details = { sessionId, health, reason: reason?.code, validEvents: eventCount };
  return health === 'unknown_version'
    ? problem('SESSION_UNKNOWN_VERSION', `The session ${sessionId} is of another version: ${what}.`, {
        details,
      })
    : problem('SESSION_CORRUPT', `The session ${sessionId} is damaged after ${eventCount} events: ${what}.`, {
        details,
      });
}
