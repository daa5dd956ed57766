/** What is appended as one: all of it becomes truth, or nothing does (locks, section 1). */
import { type DedupeKey } from './dedupe-key';
import { type DomainEvent } from './events';
import { type EventIndex } from './ids';
import { type ExecutionSnapshot } from './snapshot';

type Planned<E> = E extends DomainEvent ? Omit<E, 'v' | 'sessionId' | 'eventIndex'> : never;

/** An event before it has a place. Its id is the planner's, since edges of the same plan refer to it. */
export type PlannedEvent = Planned<DomainEvent>;

/**
 * Its first event's dedupe key stands for the whole plan: if the session has it, the plan is a no-op. A session that has
 * some of the plan's keys and not others is an invariant violation.
 */
export interface AppendPlan {
  readonly events: readonly [PlannedEvent, ...PlannedEvent[]];
  /** Snapshots that the plan's nodes introduce; one that the store has already may be left out. */
  readonly snapshots: readonly ExecutionSnapshot[];
}

/** What became of a plan. */
export interface Appended {
  readonly kind: 'appended' | 'already_there';
  /** The key that stood for the plan. */
  readonly dedupeKey: DedupeKey;
  /** The place of the event with that key. */
  readonly eventIndex: EventIndex;
}
