/** What is shown of schedules. */
import { type ScheduleDescription } from '@temporalio/client';
import { type JsonObject } from '../../src/canonical';
import { type RailyardError } from '../../src/errors';
import { readRun, type ScheduleRecord, type TickRecord } from '../../src/home';
import { type FactoryRuns } from '../factory-runs';
import { type RunLine } from '../run-reader';

/** `orphaned`: Temporal does not have it; `unknown`: nobody answers. */
export type ScheduleState = 'active' | 'paused' | 'orphaned' | 'unknown';

/** What a list shows of a schedule. */
export interface ScheduleLine {
  readonly name: string;
  readonly factory: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly overlap: ScheduleRecord['overlap'];
  readonly state: ScheduleState;
  /** When it is due next; null: it is paused, or nobody can tell. */
  readonly next_time: string | null;
  readonly started_by: string;
  readonly created_at: string;
}

/** One tick and what became of it. */
export interface TickView {
  readonly scheduled_at: string;
  readonly taken_at: string;
  readonly run_id: string;
  /** The status of the run; `refused` where none was started. */
  readonly status: RunLine['status'] | 'refused';
  readonly error: RailyardError | null;
}

/** Everything about a schedule. */
export interface ScheduleView extends ScheduleLine {
  readonly template_hash: string;
  readonly parameters: JsonObject;
  readonly catch_up_seconds: number;
  readonly pause_on_failure: boolean;
  /** Why it is paused, and who did it. */
  readonly note: string | null;
  readonly next_times: readonly string[];
  /** Null where nobody can tell. */
  readonly counts: { readonly taken: number; readonly skipped: number; readonly missed: number } | null;
  /** The newest ones first. */
  readonly ticks: readonly TickView[];
}

/** What Temporal says of a schedule: null where it does not have it, undefined where it does not answer. */
export type Seen = ScheduleDescription | null | undefined;

/** What a list shows of a schedule. */
export function lineOf(record: ScheduleRecord, seen: Seen): ScheduleLine {
  const { name, factory, cron, timeZone, overlap, startedBy, createdAt } = record;
  return {
    ...{ name, factory, cron, time_zone: timeZone, overlap, state: stateOf(seen) },
    next_time: nextTimes(seen)[0] ?? null,
    ...{ started_by: startedBy, created_at: createdAt },
  };
}

/** Everything about a schedule. */
export function viewOf(record: ScheduleRecord, seen: Seen, ticks: readonly TickView[]): ScheduleView {
  const info = seen?.info;
  return {
    ...lineOf(record, seen),
    ...{ template_hash: record.factoryHash, parameters: record.parameters },
    ...{ catch_up_seconds: record.catchUpSeconds, pause_on_failure: record.pauseOnFailure },
    note: seen?.state.note ?? null,
    next_times: nextTimes(seen),
    counts: info
      ? {
          taken: info.numActionsTaken,
          skipped: info.numActionsSkippedOverlap,
          missed: info.numActionsMissedCatchupWindow,
        }
      : null,
    ticks,
  };
}

/** A tick with what its run is doing. */
export async function tickView(runs: FactoryRuns, tick: TickRecord): Promise<TickView> {
  const { at, takenAt, run, refusal } = tick;
  const about = { scheduled_at: at, taken_at: takenAt, run_id: run };
  if (refusal) return { ...about, status: 'refused', error: refusal };
  const record = readRun(runs.home, run);
  const status = record.isOk() ? (await runs.reader.line(record.value)).status : 'unknown';
  return { ...about, status, error: null };
}

function stateOf(seen: Seen): ScheduleState {
  if (seen === undefined) return 'unknown';
  if (seen === null) return 'orphaned';
  return seen.state.paused ? 'paused' : 'active';
}

const nextTimes = (seen: Seen): string[] =>
  !seen || seen.state.paused ? [] : seen.info.nextActionTimes.map((time) => time.toISOString());
