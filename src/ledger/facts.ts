/**
 * What the ledger and the workflow say to each other. Types only, JSON all through: this travels through Temporal.
 *
 * The ledger is the truth of a run: a list of facts, each an event that the walk accepted, with its time. The state of a
 * run is the walk's fold over its facts, wherever it is done: in the store, under the session's lock, where events are
 * judged; and in the workflow, which follows. A signal, a timer or the end of an attempt only wakes the workflow up.
 */
import type { RailyardError } from '../errors';
import type { RunState } from '../factory/run-state';
import type { Answer, WalkEvent } from '../factory/walk/events';

/** An event that the store has accepted. */
export interface Fact {
  /** Its place among the facts of its run, from 0. */
  readonly seq: number;
  /** When it was appended, in epoch milliseconds: the time the walk applied it at. */
  readonly at: number;
  readonly event: WalkEvent;
}

/** Who asks, and how much of the ledger it has seen. */
export interface LedgerCall {
  readonly run: string;
  /** An append of an older epoch than the ledger's is refused: somebody else drives this run now. */
  readonly epoch: number;
  /** How many facts the caller has; a ledger that has fewer is an old copy. */
  readonly seen: number;
}

/** What became of a proposed event. */
export type Judged =
  { readonly ok: true; readonly answer: Answer } | { readonly ok: false; readonly error: RailyardError };

export interface RecordRequest extends LedgerCall {
  readonly proposals: readonly WalkEvent[];
}

export interface Recorded {
  /** One for each proposal, in order. */
  readonly judged: readonly Judged[];
  /** Every fact from `seen` on, those of this call and of anybody else. */
  readonly facts: readonly Fact[];
}

/** Where a run stands: what an execution that takes it up begins with. */
export interface Standing {
  readonly state: RunState;
  /** How many facts that state has. */
  readonly seen: number;
}
