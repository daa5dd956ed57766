import { type JsonObject } from '../../src/canonical';
import { fillObject } from '../../src/factory/compile';
import { type ScheduleRecord } from '../../src/home';
import { dateIn } from './time-zone';

/**
 * The parameters of one tick's run: `{{scheduled_date}}` is the date in the schedule's time zone, `{{scheduled_time}}` the
 * moment in UTC. Any other placeholder stays as it is.
 */
export function tickParameters(
  { parameters, timeZone }: Pick<ScheduleRecord, 'parameters' | 'timeZone'>,
  at: Date,
): JsonObject {
  return fillObject(parameters, (name) => {
    if (name === 'scheduled_date') return dateIn(timeZone, at);
    return name === 'scheduled_time' ? at.toISOString().replace(/\.\d+Z$/, 'Z') : undefined;
  });
}
