/** Which session somebody means who names a run or a session, and which run a session is. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { readRun, RUN_ID, type Home, type RunRecord } from '../home';
import { runIn } from '../ledger';
import { SessionId, type DomainEvent } from '../workrail/model';
import { type SessionReader } from '../workrail/ports';

/** A session, and the run it is. */
export interface FoundSession {
  readonly sessionId: SessionId;
  /** Null: it is no factory run, but an agent's. */
  readonly run: string | null;
  /** Null: this data directory has only the session. */
  readonly record: RunRecord | null;
}

/** Find what a person named: a run of this data directory, or any session of its store, in whatever health. */
export async function findSession(
  home: Home,
  sessions: SessionReader,
  name: string,
): Promise<Result<FoundSession, RailyardError>> {
  const record = readRun(home, name).unwrapOr(null);
  if (record) return ok({ sessionId: SessionId.parse(record.sessionId), run: record.run, record });
  const sessionId = SessionId.safeParse(name);
  if (!sessionId.success) return err(nothing(name));
  const prefix = await sessions.loadValidatedPrefix(sessionId.data);
  if (prefix.isErr()) return err(prefix.error.code === 'SESSION_NOT_FOUND' ? nothing(name) : prefix.error);
  const run = nameIn(prefix.value.session.events());
  const known = run === null ? null : readRun(home, run).unwrapOr(null);
  // The record may be of another session: the same run, further on.
  const own = known?.sessionId === (sessionId.data as string) ? known : null;
  return ok({ sessionId: sessionId.data, run, record: own });
}

/** The run that a session is; null: it is none, or one that no data directory could have. */
export function nameIn(events: readonly DomainEvent[]): string | null {
  const run = runIn(events);
  return run !== null && RUN_ID.test(run) ? run : null;
}

const nothing = (name: string): RailyardError =>
  problem('SESSION_NOT_FOUND', `There is no run and no session "${name}" in this store.`, {
    suggestion: 'List them with `railyard sessions`.',
  });
