import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextTick, parseCron } from '../../../src/factory/walk/cron';

const MINUTE = 60_000;

const next = (cron: string, after: string): string | null => {
  const tick = nextTick(parseCron(cron)._unsafeUnwrap(), Date.parse(after));
  return tick === null ? null : new Date(tick).toISOString();
};

describe('a cron expression', () => {
  test.each([
    ['* * * * *', '2026-01-01T12:00:00.000Z', '2026-01-01T12:01:00.000Z'],
    ['* * * * *', '2026-01-01T12:00:59.999Z', '2026-01-01T12:01:00.000Z'],
    ['0 3 * * *', '2026-01-01T03:00:00.000Z', '2026-01-02T03:00:00.000Z'],
    ['*/15 9-17 * * mon-fri', '2026-01-02T17:45:00.000Z', '2026-01-05T09:00:00.000Z'],
    ['5/20 0 * * *', '2026-01-01T00:06:00.000Z', '2026-01-01T00:25:00.000Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00.000Z', '2104-02-29T00:00:00.000Z'],
    // Both day fields restrict: either will do.
    ['0 0 13 * fri', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
    ['0 0 13 * fri', '2026-01-10T00:00:00.000Z', '2026-01-13T00:00:00.000Z'],
    ['0 0 * * 7', '2026-01-01T00:00:00.000Z', '2026-01-04T00:00:00.000Z'],
    ['@monthly', '2026-12-05T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['0 0 31 apr,JUN *', '2026-01-01T00:00:00.000Z', null],
  ])('%s after %s is due at %s', (cron, after, due) => expect(next(cron, after)).toBe(due));

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
  ])('%j is refused', (text) => expect(parseCron(text).isErr()).toBe(true));

  test.each([
    '5-1 * * * *',
    '*/0 * * * *',
    '1,,2 * * * *',
    '1-2-3 * * * *',
    '-1 * * * *',
    '1.5 * * * *',
    'jan * * * *',
  ])('%j is refused', (text) => expect(parseCron(text).isErr()).toBe(true));

  test('says which field is wrong', () => {
    expect(parseCron('0 25 * * *')._unsafeUnwrapErr()).toContain('"25" is no hour');
  });
});

/** One part of a field, and whether a number fits it, written apart from the parser. */
const part = (min: number, max: number): fc.Arbitrary<{ text: string; fits: (n: number) => boolean }> => {
  const number = fc.integer({ min, max });
  return fc.oneof(
    fc.constant({ text: '*', fits: () => true }),
    number.map((n) => ({ text: String(n), fits: (one: number) => one === n })),
    fc.tuple(number, number).map(([one, other]) => {
      const [a, b] = [Math.min(one, other), Math.max(one, other)];
      return { text: `${a}-${b}`, fits: (n: number) => n >= a && n <= b };
    }),
    fc
      .integer({ min: 1, max: 9 })
      .map((by) => ({ text: `*/${by}`, fits: (n: number) => (n - min) % by === 0 })),
  );
};

const field = (min: number, max: number) =>
  fc.array(part(min, max), { minLength: 1, maxLength: 2 }).map((parts) => ({
    text: parts.map(({ text }) => text).join(','),
    fits: (n: number) => parts.some(({ fits }) => fits(n)),
  }));

test('the next tick is the first minute that fits, found by trying them all', () => {
  fc.assert(
    fc.property(
      field(0, 59),
      field(0, 23),
      field(1, 31),
      field(1, 12),
      field(0, 6),
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
      (minute, hour, day, month, weekday, after) => {
        const texts = [minute, hour, day, month, weekday].map(({ text }) => text);
        const cron = parseCron(texts.join(' '))._unsafeUnwrap();
        const either = !day.text.startsWith('*') && !weekday.text.startsWith('*');
        const fits = (at: number): boolean => {
          const date = new Date(at);
          const byDay = day.fits(date.getUTCDate());
          const byWeekday = weekday.fits(date.getUTCDay());
          return (
            minute.fits(date.getUTCMinutes()) &&
            hour.fits(date.getUTCHours()) &&
            month.fits(date.getUTCMonth() + 1) &&
            (either ? byDay || byWeekday : byDay && byWeekday)
          );
        };
        const due = nextTick(cron, after);
        if (due !== null) {
          expect(due > after && due % MINUTE === 0 && fits(due)).toBe(true);
        }
        // Nothing that fits lies before it, as far as a week ahead.
        const end = Math.min(due ?? Infinity, after + 7 * 1440 * MINUTE);
        for (let at = Math.floor(after / MINUTE) * MINUTE + MINUTE; at < end; at += MINUTE) {
          if (fits(at)) throw new Error(`${new Date(at).toISOString()} was passed over`);
        }
      },
    ),
    { numRuns: 100 },
  );
});
