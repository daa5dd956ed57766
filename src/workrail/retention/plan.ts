/**
 * What may be deleted (locks, section 2.2). Pure: from facts to a decision.
 *
 * One session that is not healthy, whatever its age, and nothing is deleted at all: what it refers to cannot be known.
 * Otherwise sessions go that have been quiet for longer than the limit and are not on the keep list; then content goes that no
 * session which stays, and nobody else, refers to, and that nobody has put for a while.
 */
import { type SessionId } from '../model';
import { type Roots, type StoredContent } from '../ports';
import { type SessionFacts } from './facts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface RetentionPolicy {
  /** How long a session is kept after its last activity. */
  readonly ttlMs: number;
  /** How long content is left alone after it was last put: a writer may be about to refer to it. */
  readonly graceMs: number;
}

export const DEFAULT_POLICY: RetentionPolicy = { ttlMs: 60 * DAY_MS, graceMs: DAY_MS };

/** Why nothing is deleted. */
export interface SafeModeWarning {
  readonly code: 'session_not_healthy' | 'keep_list_unreadable' | 'store_unreadable';
  readonly sessionId: SessionId | null;
  readonly message: string;
}

/** Warnings that put garbage collection into safe mode; none: it may go on. */
export function safeModeWarnings(sessions: readonly SessionFacts[]): readonly SafeModeWarning[] {
  return sessions
    .filter(({ health }) => health !== 'healthy')
    .map(({ sessionId, health, reason }) => ({
      code: 'session_not_healthy',
      sessionId,
      message: `The session ${sessionId} is ${health} (${reason ?? 'no reason given'}): nothing is deleted.`,
    }));
}

/** The sessions whose time is over. */
export function expiredSessions(
  sessions: readonly SessionFacts[],
  keep: ReadonlySet<SessionId>,
  { ttlMs }: RetentionPolicy,
  nowMs: number,
): readonly SessionFacts[] {
  return sessions.filter(
    ({ sessionId, lastActivityMs }) => !keep.has(sessionId) && nowMs - lastActivityMs > ttlMs,
  );
}

/** The content of one kind that nothing refers to and nobody has put for a while. */
export function unreachable(
  content: readonly StoredContent[],
  kind: keyof Roots,
  roots: readonly Roots[],
  { graceMs }: RetentionPolicy,
  nowMs: number,
): readonly StoredContent[] {
  const reached = new Set(roots.flatMap((one) => [...one[kind]]));
  return content.filter(({ digest, touchedMs }) => nowMs - touchedMs > graceMs && !reached.has(digest));
}
