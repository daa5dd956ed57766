/**
 * All runs in numbers. A run is read again only when Temporal says that it moved, and one that is over for good never;
 * so a census of many parked runs costs a cheap question each.
 */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type FactoryRuns } from '../factory-runs';
import { type RunLine } from '../run-reader';
import { inParallel } from '../in-parallel';
import { isFinal, type Entry, type RunRoll } from '../run-roll';
import { type RunView } from '../run-view';
import { isAway } from '../temporal-calls';

/** Runs that are looked at at the same time. */
const LOOKERS = 8;
/** A census is good for so long. */
const FRESH_MS = 2_000;

/** What counts of one run. */
export interface RunFacts {
  readonly factory: string;
  readonly status: RunLine['status'];
  /** Null where the run cannot be read. */
  readonly counts: RunView['counts'] | null;
  /** Gates that wait for people. */
  readonly gates: readonly { readonly openedAt: number; readonly overdue: boolean }[];
}

/** All of them, at one time. */
export interface Counted {
  /** In milliseconds. */
  readonly at: number;
  readonly runs: readonly RunFacts[];
}

export class Census {
  private readonly known = new Map<string, { readonly revision: string; readonly facts: RunFacts }>();
  private under: Promise<Result<Counted, RailyardError>> | null = null;
  private last: Counted | null = null;

  constructor(
    private readonly runs: FactoryRuns,
    private readonly roll: RunRoll,
  ) {}

  /** Count, unless it was done a moment ago; whoever asks meanwhile shares the count. */
  async take(): Promise<Result<Counted, RailyardError>> {
    if (this.last && Date.now() - this.last.at < FRESH_MS) return ok(this.last);
    this.under ??= this.count().finally(() => {
      this.under = null;
    });
    return this.under;
  }

  private async count(): Promise<Result<Counted, RailyardError>> {
    const at = Date.now();
    const away: RailyardError[] = [];
    const found = await inParallel(await this.roll.all(), LOOKERS, async (entry) => {
      // Once nobody answers for one run, the others are not asked.
      if (away[0]) return [];
      const facts = await this.lookAt(entry);
      if (facts.isOk()) return [facts.value];
      away.push(facts.error);
      return [];
    });
    if (away[0]) return err(away[0]);
    this.last = { at, runs: found.flat() };
    return ok(this.last);
  }

  /** An error: nobody answers. */
  private async lookAt({ run, factory }: Entry): Promise<Result<RunFacts, RailyardError>> {
    const before = this.known.get(run);
    if (before && isFinal(before.facts.status)) return ok(before.facts);
    const revision = await this.runs.reader.revision(run);
    if (revision.isErr() && isAway(revision.error)) return err(revision.error);
    const now = revision.unwrapOr('gone');
    if (before?.revision === now) return ok(before.facts);
    const view = await this.runs.read(run);
    if (view.isErr() && isAway(view.error)) return err(view.error);
    const facts = view.match(
      (seen) => factsOf(factory, seen),
      (error) => unread(factory, error),
    );
    this.roll.note(run, facts.status);
    // A run that could not be read is asked again.
    if (facts.status !== 'unknown') this.known.set(run, { revision: now, facts });
    return ok(facts);
  }
}

function factsOf(factory: string, { status, counts, gates }: RunView): RunFacts {
  const open = gates.filter(({ outcome }) => outcome === null);
  return {
    ...{ factory, status, counts },
    gates: open.map(({ opened_at, overdue }) => ({ openedAt: Date.parse(opened_at), overdue })),
  };
}

const unread = (factory: string, { code }: RailyardError): RunFacts => ({
  ...{ factory, status: code === 'RUN_ORPHANED' ? 'orphaned' : 'unknown' },
  ...{ counts: null, gates: [] },
});
