/**
 * The activities of a run: what the workflow asks of the host that holds the store, and what it is answered. Types only,
 * JSON all through: this travels through Temporal.
 *
 * What can never work is thrown as a failure that is not retried, with the RailyardError as its first detail; anything
 * else that is thrown is trouble of the machine, and retried.
 */
import type { AttemptInput } from '../factory/attempt';
import type { Fact, Judged, LedgerCall, RecordRequest, Standing } from './facts';

/** Facts from `seen` on, as many as one message may carry. */
export interface Page {
  readonly facts: readonly Fact[];
  /** How many facts the ledger has: where that is more than these, there is more to read. */
  readonly head: number;
}

/** What became of proposals, one verdict for each, and what is new. */
export interface RecordedPage extends Page {
  readonly judged: readonly Judged[];
}

/** The activities of a ledger. A session that is not healthy can never work, nor can SUPERSEDED or STORE_BEHIND. */
export interface LedgerActivities {
  /** Judge events against the run as it stands, append those that change it, and tell what is new. */
  recordFacts(request: RecordRequest): Promise<RecordedPage>;
  /** What is new, with nothing appended: somebody rang the bell. */
  readFacts(call: LedgerCall): Promise<Page>;
  /** Where the run stands, as far as the walk needs it. */
  readStanding(call: LedgerCall): Promise<Standing>;
}

/** "Run attempt N of block B", from somebody who drives the run and has seen so much of its ledger. */
export type AttemptCall = AttemptInput & LedgerCall;

/** The activities of the skill workers. */
export interface AttemptActivities {
  /**
   * Execute an attempt, append its end to the ledger, and answer with that fact. An attempt whose end is in the ledger
   * is not executed again. What a skill does wrong is an outcome, not a thrown error. Null: the ledger took no end of
   * this attempt; whoever asked had better read.
   */
  runAttempt(call: AttemptCall): Promise<Fact | null>;
}

/** The activities of the host whose workspaces agents work in. */
export interface AgentActivities {
  /** Make a workspace ready for an agent: its inputs in place, the places of its outputs clear. May be repeated. */
  prepareForAgent(call: AttemptCall): Promise<void>;
}
