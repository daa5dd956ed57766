/**
 * All runs in numbers. A run is viewed again only when it has moved, and one that is over for good never; so a census of
 * many parked runs costs a cheap look each.
 */
import { type RailyardError } from '../../src/errors';
import { type FactoryRuns } from '../factory-runs';
import { type RunLine } from '../run-reader';
import { inParallel } from '../in-parallel';
import { isFinal, type Entry, type RunRoll } from '../run-roll';
import { type RunView } from '../run-view';

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
  private under: Promise<Counted> | null = null;
  private last: Counted | null = null;

  constructor(
    private readonly runs: FactoryRuns,
    private readonly roll: RunRoll,
  ) {}

  /** Count, unless it was done a moment ago; whoever asks meanwhile shares the count. */
  async take(): Promise<Counted> {
    if (this.last && Date.now() - this.last.at < FRESH_MS) return this.last;
    this.under ??= this.count().finally(() => {
      this.under = null;
    });
    return this.under;
  }

  private async count(): Promise<Counted> {
    const at = Date.now();
    const runs = await inParallel(await this.roll.all(), LOOKERS, (entry) => this.lookAt(entry));
    this.last = { at, runs };
    return this.last;
  }

  private async lookAt({ run, factory }: Entry): Promise<RunFacts> {
    const before = this.known.get(run);
    if (before && isFinal(before.facts.status)) return before.facts;
    const now = (await this.runs.reader.revision(run)).unwrapOr('gone');
    if (before?.revision === now) return before.facts;
    const view = await this.runs.read(run);
    const facts = view.match(
      (seen) => factsOf(factory, seen),
      (error) => unread(factory, error),
    );
    this.roll.note(run, facts.status);
    // A run that could not be read is asked again.
    if (facts.status !== 'unknown') this.known.set(run, { revision: now, facts });
    return facts;
  }
}

function factsOf(factory: string, { status: is, orphaned, counts, gates }: RunView): RunFacts {
  const status = orphaned ? 'orphaned' : is;
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
