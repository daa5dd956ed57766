/** All runs, as a feed watches them: for each, what a list shows of it. */
import { isDeepStrictEqual } from 'node:util';
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { readRun } from '../../src/home';
import { type FactoryRuns } from '../factory-runs';
import { type RunLine } from '../run-reader';
import { inParallel } from '../in-parallel';
import { type RunRoll } from '../run-roll';
import { type FeedEvent } from './event-log';
import { type Source } from './feed';

/** So many runs are watched, the newest ones. */
const WATCHED_RUNS = 500;
/** Runs that are looked at at the same time. */
const LOOKERS = 8;

export class AllRunsSource implements Source {
  private readonly lines = new Map<string, RunLine>();
  private readonly revisions = new Map<string, string>();
  private untold: RunLine[] = [];
  private begun = false;

  constructor(
    private readonly runs: FactoryRuns,
    private readonly roll: RunRoll,
  ) {}

  async look(): Promise<Result<readonly FeedEvent[], RailyardError>> {
    const newest = (await this.roll.all()).slice(0, WATCHED_RUNS).map(({ run }) => run);
    this.forgetAllBut(new Set(newest));
    // One that is over for good is looked at once, to be shown.
    const moving = new Set(await this.roll.unfinished());
    const asked = newest.filter((run) => moving.has(run) || !this.lines.has(run));
    // The oldest first, so that events come more or less in the order in which the runs began.
    await inParallel(asked.reverse(), LOOKERS, (run) => this.lookAt(run));
    // Before the first whole look nobody has been told anything, and then they are told everything.
    const events = this.begun ? this.untold.map((data) => ({ type: 'run', data })) : [];
    this.begun = true;
    this.untold = [];
    return ok(events);
  }

  snapshot(): FeedEvent {
    return { type: 'snapshot', data: { runs: [...this.lines.values()].sort(newestFirst) } };
  }

  ending(): null {
    return null;
  }

  /** Note the line of a run where it is new or has changed. */
  private async lookAt(run: string): Promise<void> {
    const now = (await this.runs.reader.revision(run)).unwrapOr('gone');
    if (this.revisions.get(run) === now) return;
    const record = readRun(this.runs.home, run);
    if (record.isErr()) return;
    const line = await this.runs.reader.line(record.value);
    const same = isDeepStrictEqual(this.lines.get(run), line);
    this.lines.set(run, line);
    this.roll.note(run, line.status);
    // A run that could not be read is asked again.
    if (line.status !== 'unknown') this.revisions.set(run, now);
    if (!same) this.untold.push(line);
  }

  private forgetAllBut(runs: ReadonlySet<string>): void {
    for (const run of this.lines.keys()) {
      if (runs.has(run)) continue;
      this.lines.delete(run);
      this.revisions.delete(run);
    }
  }
}

const newestFirst = (a: RunLine, b: RunLine): number =>
  `${a.started_at} ${a.run_id}` < `${b.started_at} ${b.run_id}` ? 1 : -1;
