/** The events of a bundle as plans for a session of this store. */
import {
  dedupeKeys,
  DedupeKey,
  type AppendPlan,
  type DomainEvent,
  type PlannedEvent,
  type SessionId,
} from '../model';
import { type VerifiedBundle } from './verify';

/** Small segments of the source are joined up to about this many events: a sync for each would take minutes. */
const EVENTS_A_PLAN = 500;

/**
 * Whole segments of the source, several to a plan. With another session id the events belong to that one: their `sessionId` and the
 * session's part of their dedupe keys change. Run, node and event ids stay, and with them everything derived from those.
 */
export function* plansOf(bundle: VerifiedBundle, sessionId: SessionId): Generator<AppendPlan> {
  let from = 0;
  for (const record of bundle.manifest) {
    if (record.kind !== 'segment_closed') continue;
    const upTo = record.lastEventIndex + 1;
    if (upTo - from < EVENTS_A_PLAN && upTo < bundle.events.length) continue;
    const [first, ...rest] = bundle.events
      .slice(from, upTo)
      .map((event) => plannedEvent(event, bundle.sessionId, sessionId));
    if (first) yield { events: [first, ...rest], snapshots: snapshotsOf(bundle, from, upTo) };
    from = upTo;
  }
}

function snapshotsOf(
  { events, snapshots }: VerifiedBundle,
  from: number,
  upTo: number,
): AppendPlan['snapshots'] {
  const refs = events
    .slice(from, upTo)
    .flatMap((event) => (event.kind === 'node_created' ? [event.data.snapshotRef] : []));
  return [...new Set(refs)].flatMap((ref) => snapshots.get(ref) ?? []);
}

function plannedEvent(event: DomainEvent, from: SessionId, to: SessionId): PlannedEvent {
  const { v: _v, sessionId: _sessionId, eventIndex: _eventIndex, ...planned } = event;
  // Of the union's event less three fields; the compiler forgets which kind goes with which data.
  return { ...planned, dedupeKey: renamedKey(event.dedupeKey, from, to) };
}

/** The key of the same fact in another session. A key that does not name its session stays: it is as unique there. */
export function renamedKey(key: DedupeKey, from: SessionId, to: SessionId): DedupeKey {
  const [kind, part, ...rest] = key.split(':');
  if (from === to || part !== sessionPart(from)) return key;
  const renamed = DedupeKey.safeParse([kind, sessionPart(to), ...rest].join(':'));
  return renamed.success ? renamed.data : key;
}

const sessionPart = (sessionId: SessionId): string | undefined =>
  dedupeKeys.sessionCreated(sessionId).split(':')[1];
