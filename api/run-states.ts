/**
 * The states of runs as everybody here sees them: lists, inbox, streams and single reads ask for the same states many times
 * a second, and Temporal is asked once. What is known of a run only moves forward, and nothing that was read before a
 * request was sent to the run answers for it afterwards: who decides a gate and then looks sees it decided.
 */
import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { type RunState } from '../src/factory/run-state';
import { isFinal } from './run-roll';
import { readState } from './run-state-reader';
import { callTemporal, isAway } from './temporal-calls';

/** How old an answer may be. */
const FRESH_MS = 250;
/** What is over changes only when an operator of Temporal resets it. */
const OVER_FRESH_MS = 10_000;
/** Runs that are remembered, the ones asked for last. */
const MAX_RUNS = 5_000;

/** The state of a run; the revision changes whenever the state may have changed. */
export interface SeenState {
  readonly revision: string;
  readonly state: RunState;
  /** Temporal's execution was over then: nothing changes it but an operator of Temporal. */
  readonly closed: boolean;
}

type Answer = Result<SeenState, RailyardError>;

interface Look {
  /** How many requests had been sent to the run when the look began. */
  readonly sent: number;
  /** When its answer is too old; an answer that is still on its way is not. */
  freshUntil: number;
  readonly answer: Promise<Answer>;
}

interface Entry {
  sent: number;
  /** The latest look that has begun. */
  look: Look | null;
  /** The newest state that was seen, and the number of the look that saw it. */
  seen: (SeenState & { readonly by: number }) | null;
  looks: number;
}

export class RunStates {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly client: Client) {}

  /** The state of a run as it is now, or was a moment ago. */
  look(run: string): Promise<Answer> {
    const entry = this.entryOf(run);
    const { sent } = entry;
    if (entry.look?.sent === sent && performance.now() < entry.look.freshUntil) return entry.look.answer;
    const began = performance.now();
    const look: Look = { sent, freshUntil: Infinity, answer: this.ask(run, entry) };
    entry.look = look;
    return look.answer.then(
      (answer) => {
        look.freshUntil = began + (answer.isOk() && isOver(answer.value) ? OVER_FRESH_MS : FRESH_MS);
        return answer;
      },
      (bug: unknown) => {
        look.freshUntil = began;
        throw bug;
      },
    );
  }

  /** A request was sent to the run: what was read of it so far is over. */
  changed(run: string): void {
    this.entryOf(run).sent += 1;
  }

  private async ask(run: string, entry: Entry): Promise<Answer> {
    const { client } = this;
    const by = ++entry.looks;
    const described = await callTemporal(client, run, () => client.workflow.getHandle(run).describe());
    if (described.isErr()) {
      // What was seen to be over stays as it was, whether or not anybody answers.
      if (entry.seen?.closed && isAway(described.error)) return ok(entry.seen);
      const gone = described.error.code === 'RUN_ENDED';
      return err(
        gone ? problem('RUN_ORPHANED', `Temporal does not have the run "${run}".`) : described.error,
      );
    }
    const revision = revisionOf(described.value);
    if (entry.seen?.revision === revision) return ok(entry.seen);
    const closed = described.value.status.name !== 'RUNNING';
    const state = await readState(client, run, !closed);
    // A state that is newer than its revision is read once more than need be, and never missed.
    return state.map((value) => {
      const now = { revision, state: value, closed, by };
      // An older look that answers later than a newer one has nothing to say to others.
      if (entry.seen === null || entry.seen.by < by) entry.seen = now;
      return now;
    });
  }

  private entryOf(run: string): Entry {
    const known = this.entries.get(run);
    const entry = known ?? { sent: 0, look: null, seen: null, looks: 0 };
    // Put at the end: the first ones are those that nobody has asked for in a long time.
    this.entries.delete(run);
    this.entries.set(run, entry);
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_RUNS && oldest !== undefined) this.entries.delete(oldest);
    return entry;
  }
}

const isOver = ({ closed, state }: SeenState): boolean => closed && isFinal(state.status);

const revisionOf = ({ runId, status, historyLength }: WorkflowExecutionDescription): string =>
  `${runId} ${status.name} ${historyLength}`;
