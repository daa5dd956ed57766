/** Ids around a tick: all are made from the schedule and the time, so nothing is ever made twice for one tick. */
import { type Home, type ScheduleRecord } from '../../src/home';

type Named = Pick<ScheduleRecord, 'name' | 'generation'>;

/** The id of a schedule in Temporal, where other stores may have schedules of the same name. */
export const temporalId = ({ store }: Home, { name, generation }: Named): string =>
  `railyard-${store}-${name}.${generation}`;

/** The workflow of a tick, as Temporal names it: the id of the schedule's action, and the time in whole seconds. */
export const tickWorkflow = (home: Home, schedule: Named, at: Date): string =>
  `${temporalId(home, schedule)}-${at.toISOString().replace(/\.\d+Z$/, 'Z')}`;

/** The time that the id of a tick's workflow ends with; null where it is no such id. */
export function tickTime(workflow: string): Date | null {
  const [text] = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.exec(workflow) ?? [];
  const time = new Date(text ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** The run of a tick. A name that was deleted and made again has runs of its own. */
export function tickRun({ name, generation }: Named, at: Date): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name}-${stamp}${generation > 1 ? `-${generation}` : ''}`;
}
