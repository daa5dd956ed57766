/** Lists of runs, the newest first, page by page. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../src/errors';
import { readRun } from '../src/home';
import { type FactoryRuns } from './factory-runs';
import { type RunLine } from './run-reader';
import { isFinal, placeOf, type Entry, type RunRoll } from './run-roll';

/** What is asked of a list; null: anything. */
export interface RunQuery {
  readonly status: RunLine['status'] | null;
  readonly factory: string | null;
  readonly startedBy: string | null;
  readonly limit: number;
  /** The place after which the page begins. */
  readonly after: string | null;
}

export interface RunPage {
  readonly runs: readonly RunLine[];
  readonly next: string | null;
}

/** Runs that are looked at together for their status, and at most for one page; a page that ends there may be short. */
const STEP = 50;
const MAX_LOOKED_AT = 1_000;

export class RunList {
  /** Lines that never change any more. */
  private readonly final = new Map<string, RunLine>();

  constructor(
    private readonly runs: FactoryRuns,
    private readonly roll: RunRoll,
  ) {}

  async page({
    status,
    factory,
    startedBy,
    limit,
    after,
  }: RunQuery): Promise<Result<RunPage, RailyardError>> {
    const asked = (await this.roll.all())
      .filter((entry) => factory === null || entry.factory === factory)
      .filter((entry) => startedBy === null || entry.startedBy === startedBy)
      .filter((entry) => after === null || placeOf(entry) < after);
    if (status === null) {
      const page = asked.slice(0, limit);
      const { lines: runs } = await this.lines(page);
      return ok({ runs, next: asked.length > limit ? lastOf(page) : null });
    }
    return this.withStatus(asked, status, limit);
  }

  private async withStatus(
    asked: readonly Entry[],
    status: RunLine['status'],
    limit: number,
  ): Promise<Result<RunPage, RailyardError>> {
    const found: RunLine[] = [];
    for (let at = 0; at < asked.length; at += STEP) {
      const step = asked.slice(at, at + STEP);
      const { lines, away } = await this.lines(step);
      // A list without those that nobody answers for would look like a whole one.
      if (status !== 'unknown' && away) return err(unanswered());
      const fitting = lines.filter((line) => line.status === status);
      found.push(...fitting);
      if (found.length >= limit) {
        const page = found.slice(0, limit);
        const last = asked.findIndex(({ run }) => run === page.at(-1)?.run_id);
        return ok({ runs: page, next: last + 1 < asked.length ? lastOf(asked.slice(0, last + 1)) : null });
      }
      if (at + STEP >= MAX_LOOKED_AT && at + STEP < asked.length)
        return ok({ runs: found, next: lastOf(step) });
    }
    return ok({ runs: found, next: null });
  }

  /** `away`: for one of them nobody answers right now. */
  private async lines(entries: readonly Entry[]): Promise<{ lines: RunLine[]; away: boolean }> {
    // All at once: while Temporal is away, each of them takes as long as the wait for it.
    const seen = await Promise.all(entries.map(({ run }) => this.look(run)));
    const known = seen.filter((one) => one !== null);
    return { lines: known.map(({ line }) => line), away: known.some(({ away }) => away) };
  }

  private async look(run: string): Promise<{ line: RunLine; away: boolean } | null> {
    const known = this.final.get(run);
    if (known) return { line: known, away: false };
    const record = readRun(this.runs.home, run);
    if (record.isErr()) return null;
    const { line, away } = await this.runs.reader.seenLine(record.value);
    this.roll.note(run, line.status);
    if (isFinal(line.status)) this.final.set(run, line);
    return { line, away };
  }
}

const lastOf = (page: readonly Entry[]): string | null => {
  const last = page.at(-1);
  return last ? placeOf(last) : null;
};

const unanswered = (): RailyardError =>
  problem('TEMPORAL_AWAY', 'The states of the runs cannot be read now, so they cannot be chosen by status.', {
    suggestion: 'Try again soon, or list the runs without "status".',
  });
