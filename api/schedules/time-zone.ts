/** Time zones by their IANA names. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';

/** The name of a time zone as it is written in the time zone database; INPUT_INVALID where there is none. */
export function readTimeZone(text: string): Result<string, RailyardError> {
  try {
    // Offsets such as +01:00 are no zones: they know nothing of summer time.
    if (!/^[A-Za-z]/.test(text)) return err(unknown(text));
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    // Another spelling is put right; an alias, which comes back as the zone it stands for, stays.
    return ok(timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text);
  } catch {
    return err(unknown(text));
  }
}

/** The refusal of a time zone that nobody knows. */
export const unknown = (text: string): RailyardError =>
  problem('INPUT_INVALID', `There is no time zone "${text}".`, {
    suggestion: 'Use a name of the IANA database, such as "Europe/Berlin" or "UTC".',
    details: {
      problems: [{ pointer: '/time_zone', message: 'No such time zone.', fix: 'Use an IANA name.' }],
    },
  });

/** The date that it is at a moment in a time zone: YYYY-MM-DD. */
export function dateIn(timeZone: string, at: Date): string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get('year') ?? ''}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
}
