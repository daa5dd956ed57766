/**
 * Backfills: the ticks of a time that is past, taken now. Temporal itself says which those are, so the preview and what is
 * done cannot differ; ticks that have a run already are left out.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { keepRequest, listTicks, readRun, type Home, type ScheduleRecord } from '../../src/home';
import { type FactoryRuns } from '../factory-runs';
import { keyReused, type Schedules } from './schedules';
import { type ListedTick, type TemporalSchedule, type TickRange } from './temporal-schedule';
import { tickRun } from './tick-ids';
import { dateIn } from './time-zone';

/** A year of days. More runs at once are better asked for in parts. */
export const MAX_TICKS = 366;

const HOUR_MS = 3_600_000;
/** A day in any time zone lies within its day in UTC and so much more on both sides. */
const ZONE_MS = 15 * HOUR_MS;
const IS_DATE = /^\d{4}-\d\d-\d\d$/;

/** Which ticks; both ends are dates or moments, and in the range. */
export interface BackfillRange {
  readonly from: string;
  readonly to: string;
}

/** One tick of a backfill. */
export interface PlannedTick extends ListedTick {
  readonly run: string;
  /** It has its run already, and gets no other. */
  readonly exists: boolean;
}

export class Backfills {
  constructor(
    private readonly runs: FactoryRuns,
    private readonly schedules: Schedules,
  ) {}

  /** The ticks that a backfill is about. Changes nothing. */
  async preview(name: string, range: BackfillRange): Promise<Result<PlannedTick[], RailyardError>> {
    const found = await this.schedules.find(name);
    if (found.isErr()) return err(found.error);
    const { record, schedule } = found.value;
    const due = await ticksIn(record, schedule, range);
    return due.map((all) => all.map((tick) => planned(this.runs.home, record, tick)));
  }

  /** Take them. Under a key that was used before, only what has not been taken since. */
  async start(
    name: string,
    { overlap, ...range }: BackfillRange & { readonly overlap: 'buffer_all' | 'allow_all' },
    key: string | null,
  ): Promise<Result<PlannedTick[], RailyardError>> {
    const found = await this.schedules.find(name);
    if (found.isErr()) return err(found.error);
    const { record, schedule } = found.value;
    const { home } = this.runs;
    const due = await ticksIn(record, schedule, range);
    if (due.isErr()) return err(due.error);
    const request = { kind: 'backfill', ...range, overlap };
    const until = due.value.at(-1)?.at.toISOString() ?? null;
    let taken: ReadonlySet<string> = new Set();
    if (key !== null) {
      const kept = await keepRequest(home, record, key, () => Promise.resolve({ ...request, until }));
      const same = Object.entries(request).every(([field, value]) => kept[field] === value);
      if (!same) return err(keyReused());
      const ticks = await listTicks(home, record, Number.POSITIVE_INFINITY);
      const keptUntil = typeof kept.until === 'string' ? kept.until : '';
      const later = due.value.filter(({ at }) => at.toISOString() > keptUntil);
      taken = new Set([...ticks.map(({ at }) => at), ...later.map(({ at }) => at.toISOString())]);
    }
    const ticks = due.value.map((tick) => planned(home, record, tick));
    const ranges = rangesOf(ticks, ({ at, exists }) => !exists && !taken.has(at.toISOString()));
    if (ranges.length === 0) return ok(ticks);
    return (await schedule.backfill(ranges, overlap)).map(() => ticks);
  }
}

async function ticksIn(
  { timeZone }: ScheduleRecord,
  schedule: TemporalSchedule,
  { from, to }: BackfillRange,
): Promise<Result<ListedTick[], RailyardError>> {
  const now = Date.now();
  const first = Date.parse(from) - (IS_DATE.test(from) ? ZONE_MS : 0);
  const last = Math.min(now, Date.parse(to) + (IS_DATE.test(to) ? 24 * HOUR_MS + ZONE_MS : 0));
  if (IS_DATE.test(from) === IS_DATE.test(to) ? Date.parse(from) > Date.parse(to) : first > last) {
    return err(problem('INPUT_INVALID', `The range ends (${to}) before it begins (${from}).`));
  }
  if (first > now) return ok([]);
  const listed = await schedule.ticks(new Date(first), new Date(last));
  if (listed.isErr()) return err(listed.error);
  const due = listed.value?.filter(({ at }) => {
    const date = dateIn(timeZone, at);
    return !(IS_DATE.test(from) && date < from) && !(IS_DATE.test(to) && date > to);
  });
  if (due && due.length <= MAX_TICKS) return ok(due);
  const message = `There are more than ${MAX_TICKS} ticks from ${from} to ${to}.`;
  return err(problem('INPUT_INVALID', message, { suggestion: 'Backfill a shorter time, part by part.' }));
}

function planned(home: Home, record: ScheduleRecord, tick: ListedTick): PlannedTick {
  const run = tickRun(record, tick.at);
  return { ...tick, run, exists: readRun(home, run).isOk() };
}

/** Ranges of neighbours that are wanted, with nothing between them that is not. */
function rangesOf(ticks: readonly PlannedTick[], wanted: (tick: PlannedTick) => boolean): TickRange[] {
  const ranges: TickRange[] = [];
  let open = false;
  for (const tick of ticks) {
    if (wanted(tick)) {
      const before = open ? ranges.pop() : undefined;
      ranges.push({ after: before?.after ?? tick.after, last: tick.at });
    }
    open = wanted(tick);
  }
  return ranges;
}
