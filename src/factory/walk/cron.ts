/**
 * Cron expressions of five fields (minute, hour, day of month, month, day of week), in UTC.
 *
 * A field is `*`, a number, a name (`jan`, `mon`), a range `a-b`, a step of these (`*` or `a-b` and `/n`; `a/n` counts from a), or
 * a list of such parts. Sunday is 0 and 7. Where both day fields are restricted (neither begins with `*`), a day that
 * fits one of them fits. `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly` are what they say.
 *
 * No clock and no library: the compiler checks with this file, and workflow code counts with it.
 */
import { err, ok, Result } from 'neverthrow';

/** A cron expression, read. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** Do both day fields restrict? Then fitting one is enough. */
  readonly eitherDay: boolean;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** In the order of their numbers, from `min`. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
];

const WORDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** From one 29 February to the next it may be eight years. */
const FAR_DAYS = 8 * 366;

/** Read an expression; the error says which field is wrong and why. */
export function parseCron(text: string): Result<Cron, string> {
  const word = text.trim().toLowerCase();
  const parts = (Object.hasOwn(WORDS, word) ? (WORDS[word] ?? '') : word).split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return err(`a cron expression has five fields, this one has ${word === '' ? 0 : parts.length}`);
  }
  const read = FIELDS.map((field, place) => parseField(parts[place] ?? '', field));
  return Result.combine(read).map(([minutes = [], hours = [], days = [], months = [], weekdays = []]) => ({
    minutes,
    hours,
    days,
    months,
    weekdays: [...new Set(weekdays.map((day) => day % 7))],
    eitherDay: !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*'),
  }));
}

/** The first tick after a moment, both in epoch milliseconds; null where there is none (30 February). */
export function nextTick(cron: Cron, after: number): number | null {
  const from = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const today = Math.floor(from / DAY_MS) * DAY_MS;
  for (let day = today; day <= today + FAR_DAYS * DAY_MS; day += DAY_MS) {
    if (!fitsDay(cron, new Date(day))) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const tick = day + (hour * 60 + minute) * MINUTE_MS;
        if (tick >= from) return tick;
      }
    }
  }
  return null;
}

function fitsDay({ months, days, weekdays, eitherDay }: Cron, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const byDay = days.includes(date.getUTCDate());
  const byWeekday = weekdays.includes(date.getUTCDay());
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

/** The numbers of a field, sorted. */
function parseField(text: string, field: Field): Result<number[], string> {
  return Result.combine(text.split(',').map((part) => parsePart(part, field))).map((parts) =>
    [...new Set(parts.flat())].sort((a, b) => a - b),
  );
}

function parsePart(text: string, field: Field): Result<number[], string> {
  const { name, min, max } = field;
  const [, range = '', step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(text) ?? [];
  const ends = range === '*' ? [min, max] : range.split('-').map((end) => numberOf(end, field));
  const [first = NaN, last = step === undefined ? first : max] = ends;
  const by = step === undefined ? 1 : Number(step);
  // A comparison with what is no number is false.
  if (!(first <= last) || ends.length > 2 || by === 0) {
    return err(`"${text}" is no ${name}; it is a number from ${min} to ${max}, a range, a step or a list`);
  }
  const size = Math.floor((last - first) / by) + 1;
  return ok(Array.from({ length: size }, (_, place) => first + place * by));
}

/** NaN where the text is none of the field's numbers and names. */
function numberOf(text: string, { min, max, names }: Field): number {
  const place = names.indexOf(text);
  if (place >= 0) return min + place;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return number >= min && number <= max ? number : NaN;
}
