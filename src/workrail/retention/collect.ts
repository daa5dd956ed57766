/**
 * Retention as it is carried out: sessions first, then content, never the reverse (locks, section 2.2).
 *
 * Content is listed before the sessions that stay are read, so whatever a writer adds meanwhile is either not in the list or
 * already among the roots. A dry run does everything but the deleting.
 */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type SessionId } from '../model';
import {
  type ContentShelf,
  type KeepList,
  type Roots,
  type RootSource,
  type SessionReader,
  type SessionShelf,
  type StoredContent,
} from '../ports';
import { factsOf, type SessionFacts } from './facts';
import {
  expiredSessions,
  safeModeWarnings,
  unreachable,
  type RetentionPolicy,
  type SafeModeWarning,
} from './plan';

export interface RetentionStores {
  readonly reader: SessionReader;
  readonly sessions: SessionShelf;
  readonly content: Readonly<Record<keyof Roots, ContentShelf>>;
  readonly keepList: KeepList;
  /** Who else refers to content, besides the sessions. */
  readonly others: readonly RootSource[];
}

export interface RetentionRun {
  readonly policy: RetentionPolicy;
  readonly nowMs: number;
  readonly mode: 'dry_run' | 'delete';
}

/** What was deleted, or in a dry run would be. */
export interface RetentionReport {
  readonly mode: RetentionRun['mode'];
  /** There when something stood in the way; what stands below was deleted before that, and nothing after. */
  readonly safeMode: readonly SafeModeWarning[];
  readonly retained: number;
  readonly sessions: readonly SessionId[];
  /** Expired, and in use at that moment. */
  readonly busy: readonly SessionId[];
  readonly content: Readonly<
    Record<keyof Roots, { readonly digests: readonly string[]; readonly bytes: number }>
  >;
}

const KINDS = ['snapshots', 'workflows', 'artifacts'] as const;
const NONE = { digests: [], bytes: 0 };

/** Delete what may be deleted, and say what that was. An error is of the store, while deleting. */
export async function collectGarbage(
  stores: RetentionStores,
  run: RetentionRun,
): Promise<Result<RetentionReport, RailyardError>> {
  const nothing: RetentionReport = {
    mode: run.mode,
    safeMode: [],
    retained: 0,
    sessions: [],
    busy: [],
    content: { snapshots: NONE, workflows: NONE, artifacts: NONE },
  };
  const keep = await stores.keepList.read();
  if (keep.isErr()) {
    return ok({ ...nothing, safeMode: [warning('keep_list_unreadable', keep.error)] });
  }
  const before = await readSessions(stores);
  if (before.isErr()) return ok({ ...nothing, safeMode: [warning('store_unreadable', before.error)] });
  const unhealthy = safeModeWarnings(before.value);
  if (unhealthy.length > 0) return ok({ ...nothing, safeMode: unhealthy, retained: before.value.length });

  const expired = expiredSessions(before.value, keep.value, run.policy, run.nowMs);
  const removal = await removeSessions(stores.sessions, expired, run);
  if (removal.isErr()) return err(removal.error);
  const swept = await sweep(stores, new Set(removal.value.removed), run);
  if (swept.isErr()) return err(swept.error);
  return ok({ ...nothing, sessions: removal.value.removed, busy: removal.value.busy, ...swept.value });
}

async function removeSessions(
  shelf: SessionShelf,
  expired: readonly SessionFacts[],
  { mode }: RetentionRun,
): Promise<Result<{ removed: readonly SessionId[]; busy: readonly SessionId[] }, RailyardError>> {
  const [removed, busy]: [SessionId[], SessionId[]] = [[], []];
  for (const { sessionId, eventCount } of expired) {
    const done = mode === 'dry_run' ? ok() : await shelf.remove(sessionId, eventCount);
    if (done.isOk()) removed.push(sessionId);
    else if (done.error.code === 'SESSION_LOCKED' || done.error.code === 'SESSION_EXISTS')
      busy.push(sessionId);
    else return err(done.error);
  }
  return ok({ removed, busy });
}

/** Mark and sweep, with the sessions that are there now. */
async function sweep(
  { reader, sessions, content, others }: RetentionStores,
  removed: ReadonlySet<SessionId>,
  run: RetentionRun,
): Promise<Result<Pick<RetentionReport, 'safeMode' | 'retained' | 'content'>, RailyardError>> {
  const found: Record<keyof Roots, readonly StoredContent[]> = {
    snapshots: [],
    workflows: [],
    artifacts: [],
  };
  for (const kind of KINDS) {
    const list = await content[kind].list();
    if (list.isErr()) return err(list.error);
    found[kind] = list.value;
  }
  const report: Record<keyof Roots, { digests: string[]; bytes: number }> = {
    snapshots: { digests: [], bytes: 0 },
    workflows: { digests: [], bytes: 0 },
    artifacts: { digests: [], bytes: 0 },
  };
  const now = await readSessions({ reader, sessions });
  if (now.isErr()) {
    return ok({ safeMode: [warning('store_unreadable', now.error)], retained: 0, content: report });
  }
  // In a dry run those that would be gone are still there.
  const retained = now.value.filter(({ sessionId }) => !removed.has(sessionId));
  const safeMode = safeModeWarnings(retained);
  if (safeMode.length > 0) return ok({ safeMode, retained: retained.length, content: report });
  const roots = retained.map((one) => one.roots);
  for (const other of others) {
    const found = await other.roots();
    if (found.isErr()) {
      const unreadable = warning('store_unreadable', found.error);
      return ok({ safeMode: [unreadable], retained: retained.length, content: report });
    }
    roots.push(found.value);
  }
  for (const kind of KINDS) {
    for (const { digest, bytes } of unreachable(found[kind], kind, roots, run.policy, run.nowMs)) {
      const since = run.nowMs - run.policy.graceMs;
      const gone = run.mode === 'dry_run' ? ok(true) : await content[kind].remove(digest, since);
      if (gone.isErr()) return err(gone.error);
      if (!gone.value) continue;
      report[kind].digests.push(digest);
      report[kind].bytes += bytes;
    }
  }
  return ok({ safeMode, retained: retained.length, content: report });
}

async function readSessions({
  reader,
  sessions,
}: Pick<RetentionStores, 'reader' | 'sessions'>): Promise<Result<readonly SessionFacts[], RailyardError>> {
  const ids = await reader.list();
  if (ids.isErr()) return err(ids.error);
  const facts: SessionFacts[] = [];
  for (const sessionId of ids.value) {
    const prefix = await reader.loadValidatedPrefix(sessionId);
    // Somebody else took it away since the list was made.
    if (prefix.isErr() && prefix.error.code === 'SESSION_NOT_FOUND') continue;
    if (prefix.isErr()) return err(prefix.error);
    // One that is not healthy may lack its manifest; its age counts for nothing.
    const touchedMs = prefix.value.health === 'healthy' ? await sessions.touchedMs(sessionId) : ok(0);
    if (touchedMs.isErr()) return err(touchedMs.error);
    facts.push(factsOf(prefix.value, touchedMs.value));
  }
  return ok(facts);
}

const warning = (code: SafeModeWarning['code'], { message }: RailyardError): SafeModeWarning => ({
  code,
  sessionId: null,
  message: `${message} Nothing is deleted.`,
});
