/** Lists of runs, the newest first, page by page. */
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

  async page({ status, factory, startedBy, limit, after }: RunQuery): Promise<RunPage> {
    const asked = (await this.roll.all())
      .filter((entry) => factory === null || entry.factory === factory)
      .filter((entry) => startedBy === null || entry.startedBy === startedBy)
      .filter((entry) => after === null || placeOf(entry) < after);
    if (status === null) {
      const page = asked.slice(0, limit);
      return { runs: await this.lines(page), next: asked.length > limit ? lastOf(page) : null };
    }
    return this.withStatus(asked, status, limit);
  }

  private async withStatus(
    asked: readonly Entry[],
    status: RunLine['status'],
    limit: number,
  ): Promise<RunPage> {
    const found: RunLine[] = [];
    for (let at = 0; at < asked.length; at += STEP) {
      const step = asked.slice(at, at + STEP);
      const lines = await this.lines(step);
      const fitting = lines.filter((line) => line.status === status);
      found.push(...fitting);
      if (found.length >= limit) {
        const page = found.slice(0, limit);
        const last = asked.findIndex(({ run }) => run === page.at(-1)?.run_id);
        return { runs: page, next: last + 1 < asked.length ? lastOf(asked.slice(0, last + 1)) : null };
      }
      if (at + STEP >= MAX_LOOKED_AT && at + STEP < asked.length) return { runs: found, next: lastOf(step) };
    }
    return { runs: found, next: null };
  }

  private async lines(entries: readonly Entry[]): Promise<RunLine[]> {
    const lines = await Promise.all(entries.map(({ run }) => this.line(run)));
    return lines.filter((line) => line !== null);
  }

  private async line(run: string): Promise<RunLine | null> {
    const known = this.final.get(run);
    if (known) return known;
    const record = readRun(this.runs.home, run);
    if (record.isErr()) return null;
    const line = await this.runs.reader.line(record.value);
    this.roll.note(run, line.status);
    if (isFinal(line.status)) this.final.set(run, line);
    return line;
  }
}

const lastOf = (page: readonly Entry[]): string | null => {
  const last = page.at(-1);
  return last ? placeOf(last) : null;
};
