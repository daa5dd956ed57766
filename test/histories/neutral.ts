/**
 * A history's JSON without the machine that recorded it: places are replaced everywhere, also inside of payloads, which
 * are base64, and stack traces are left out. Nothing of that is looked at when the history is replayed.
 */
export function neutral(value: unknown, places: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return replaced(value, places);
  if (Array.isArray(value)) return value.map((one) => neutral(one, places));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (key === 'stackTrace') return [key, ''];
      if (key === 'data' && typeof inner === 'string' && 'metadata' in value) {
        return [key, encoded(replaced(decoded(inner), places))];
      }
      return [key, neutral(inner, places)];
    }),
  );
}

/** Everything that a history says, with its payloads in plain text. */
export function plainText(history: string): string {
  return history.replace(/"data": "([^"]*)"/g, (_all, data: string) => `"data": ${decoded(data)}`);
}

function replaced(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((so, [place, name]) => so.replaceAll(place, name), text);
}

/** What is in a payload. */
export const decoded = (data: string): string => Buffer.from(data, 'base64').toString('utf8');
/** The same the other way round. */
export const encoded = (text: string): string => Buffer.from(text).toString('base64');
