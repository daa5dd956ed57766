/**
 * From plans to events with a place (locks, section 1; dedupe is per plan). Pure, but for looking whether content is
 * there: nothing is written until every event of every plan is known to be valid.
 */
import { err, ok, Result } from 'neverthrow';
import { findNotJson } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import {
  EVENT_VERSION,
  readEvent,
  type Appended,
  type AppendPlan,
  type DedupeKey,
  type DomainEvent,
  type EventIndex,
  type PlannedEvent,
  type SnapshotRef,
} from '../model';
import { type Kept } from './content';
import { type Snapshots, type Workflows } from './content-stores';
import { Links } from './links';
import { eventIndexAt, nodesOf } from './segment';
import { type SessionLog } from './session-log';

/** What one append writes. */
export interface Batch {
  readonly answers: readonly Appended[];
  readonly events: readonly DomainEvent[];
  readonly snapshots: readonly Kept<SnapshotRef>[];
}

export interface Contents {
  readonly snapshots: Snapshots;
  readonly workflows: Workflows;
}

/** Judge plans in order against a session. */
export function batchOf(
  log: SessionLog,
  plans: readonly AppendPlan[],
  contents: Contents,
  nowMs: number,
): Result<Batch, RailyardError> {
  const events: DomainEvent[] = [];
  const fresh = new Map<DedupeKey, EventIndex>();
  const answers: Appended[] = [];
  const taken: AppendPlan[] = [];
  for (const plan of plans) {
    const known = plan.events.map(({ dedupeKey }) => log.placeOf(dedupeKey) ?? fresh.get(dedupeKey));
    const [first] = known;
    const [{ dedupeKey }] = plan.events;
    if (known.some((place) => (place === undefined) !== (first === undefined))) return err(partial(plan));
    if (first !== undefined) {
      answers.push({ kind: 'already_there', dedupeKey, eventIndex: first });
      continue;
    }
    answers.push({ kind: 'appended', dedupeKey, eventIndex: eventIndexAt(log.eventCount + events.length) });
    taken.push(plan);
    for (const planned of plan.events) {
      const event = place(log, planned, log.eventCount + events.length, nowMs);
      if (event.isErr()) return err(event.error);
      if (fresh.has(event.value.dedupeKey)) return err(invalid(`${planned.dedupeKey} is there twice`));
      fresh.set(event.value.dedupeKey, event.value.eventIndex);
      events.push(event.value);
    }
  }
  const fault = Links.fault(log.links, events);
  if (fault !== null) return err(invalid(fault));
  return needed(events, taken, contents).map((snapshots) => ({ answers, events, snapshots }));
}

/** An event as it will be read again: what JSON leaves out is left out already. */
function place(
  { sessionId }: SessionLog,
  planned: PlannedEvent,
  index: number,
  nowMs: number,
): Result<DomainEvent, RailyardError> {
  const { eventId, kind, dedupeKey, scope, data, timestampMs = nowMs, ...more } = planned;
  const eventIndex = eventIndexAt(index);
  const envelope = { v: EVENT_VERSION, eventId, eventIndex, sessionId, kind, dedupeKey };
  const whole = { ...more, ...envelope, scope, timestampMs, data };
  const read = readEvent(whole);
  if (read.isErr()) {
    const { error } = read;
    return err(
      invalid(`${dedupeKey}: ${error.kind === 'invalid' ? `${error.pointer} ${error.reason}` : 'version'}`),
    );
  }
  // The value has just been seen to be an event; a text of it has the same.
  const event = JSON.parse(JSON.stringify(read.value)) as DomainEvent;
  const notJson = findNotJson(event);
  return notJson ? err(invalid(`${dedupeKey}: ${notJson.pointer} is ${notJson.reason}`)) : ok(event);
}

/** The snapshots to keep for the new nodes: from the plans, or in the store already. */
function needed(
  events: readonly DomainEvent[],
  plans: readonly AppendPlan[],
  { snapshots, workflows }: Contents,
): Result<Kept<SnapshotRef>[], RailyardError> {
  for (const event of events) {
    if (event.kind === 'run_started' && !workflows.has(event.data.workflowHash))
      return err(invalid(`the workflow ${event.data.workflowHash} is not pinned in this store`));
  }
  return Result.combine(plans.flatMap((plan) => plan.snapshots.map((one) => snapshots.address(one)))).andThen(
    (brought) => {
      const bytes = new Map(brought.map((one) => [one.ref, one.bytes]));
      const refs = [...new Set(nodesOf(events).map(({ data }) => data.snapshotRef))];
      const nowhere = refs.find((ref) => !bytes.has(ref) && !snapshots.has(ref));
      return nowhere === undefined
        ? ok(refs.map((ref) => ({ ref, bytes: bytes.get(ref) ?? null })))
        : err(invalid(`the snapshot ${nowhere} is neither in the plan nor in the store`));
    },
  );
}

const invalid = (what: string): RailyardError =>
  problem('STORE_PLAN_INVALID', `The plan cannot be appended: ${what}.`);

const partial = ({ events: [{ dedupeKey }] }: AppendPlan): RailyardError =>
  problem(
    'STORE_INVARIANT_VIOLATION',
    `The session has some events of the plan ${dedupeKey} and not others.`,
    {
      details: { dedupeKey },
    },
  );
