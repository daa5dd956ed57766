/** A cron expression as Temporal's calendars: then a schedule means the same as the cron of a block. */
import { type CalendarSpec, type DayOfWeek, type Month } from '@temporalio/client';
import { type Cron } from '../../src/factory/walk';

const MONTHS: readonly Month[] = [
  ...(['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE'] as const),
  ...(['JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'] as const),
];
const WEEKDAYS: readonly DayOfWeek[] = [
  ...(['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY'] as const),
  ...(['THURSDAY', 'FRIDAY', 'SATURDAY'] as const),
];

/** The calendars whose times together are those of the expression. */
export function calendarsOf(cron: Cron): CalendarSpec[] {
  const time = { second: 0, minute: [...cron.minutes], hour: [...cron.hours] };
  const month = named(MONTHS, cron.months, 1);
  const byDay = { dayOfMonth: [...cron.days] };
  const byWeekday = { dayOfWeek: named(WEEKDAYS, cron.weekdays, 0) };
  // One calendar wants both of its day fields to fit; where one is enough, it takes two calendars.
  const days = cron.eitherDay ? [byDay, byWeekday] : [{ ...byDay, ...byWeekday }];
  return days.map((day) => ({ ...time, month, ...day }));
}

const named = <Name>(names: readonly Name[], numbers: readonly number[], first: number): Name[] =>
  names.filter((_, place) => numbers.includes(place + first));
