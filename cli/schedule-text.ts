/** Schedules as a person reads them. */
import pc from 'picocolors';
import { type ScheduleLine, type ScheduleView, type TickView } from '../api/schedules';

/** What a backfill is about. */
export interface PlannedTicks {
  readonly ticks: readonly {
    readonly scheduled_at: string;
    readonly run_id: string;
    readonly exists: boolean;
  }[];
}

/** One line of a list. */
export function lineInWords({ name, state, cron, time_zone, factory, next_time }: ScheduleLine): string {
  const next = next_time === null ? '' : `; next at ${next_time}`;
  return `${pc.bold(name)}  ${paint(state)}  ${cron} (${time_zone})  ${factory}${next}`;
}

/** Everything about a schedule. */
export function scheduleInWords(view: ScheduleView): string[] {
  const { counts, note, ticks } = view;
  const parameters = Object.entries(view.parameters).map(
    ([key, value]) => `  ${key} = ${JSON.stringify(value)}`,
  );
  return [
    lineInWords(view),
    `overlap ${view.overlap}; catches up for ${view.catch_up_seconds} s${view.pause_on_failure ? '; pauses on failure' : ''}`,
    `started by ${view.started_by}, since ${view.created_at}`,
    ...(note === null || note === '' ? [] : [note]),
    ...(counts === null
      ? []
      : [`ticks: ${counts.taken} taken, ${counts.skipped} skipped for overlap, ${counts.missed} missed`]),
    ...(parameters.length > 0 ? ['parameters:', ...parameters] : []),
    ...(ticks.length > 0 ? ['last ticks:', ...ticks.map(tickInWords)] : []),
  ];
}

/** What a backfill runs, or would run. */
export function plannedInWords({ ticks }: PlannedTicks, preview: boolean): string[] {
  const fresh = ticks.filter(({ exists }) => !exists).length;
  const lines = ticks.map(
    ({ scheduled_at, run_id, exists }) =>
      `  ${scheduled_at}  ${run_id}${exists ? pc.dim('  has its run already') : ''}`,
  );
  const runs = fresh === 1 ? '1 run' : `${fresh} runs`;
  return [...lines, preview ? `${runs} would be started` : `${runs} asked for`];
}

function tickInWords({ scheduled_at, run_id, status, error }: TickView): string {
  return `  ${scheduled_at}  ${run_id}  ${status === 'refused' ? pc.red(status) : status}${error ? `: ${error.message}` : ''}`;
}

function paint(state: ScheduleLine['state']): string {
  if (state === 'active') return pc.green(state);
  return state === 'paused' ? pc.yellow(state) : pc.red(state);
}
