/** `name`, or `name(key=value, key2=value2)`: the event a block waits for, and what its payload must say. */
import { err, ok, Result } from 'neverthrow';

export interface EventPattern {
  readonly name: string;
  readonly filters: Readonly<Record<string, string>>;
}

const PATTERN = /^([^()]*?)\s*(?:\(([^()]*)\))?$/;
const NAME = /^[A-Za-z][A-Za-z0-9._:-]{0,99}$/;
const KEY = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** Read an event pattern; the error says what is wrong. */
export function parseEvent(text: string): Result<EventPattern, string> {
  const [, name, filters] = PATTERN.exec(text.trim()) ?? [];
  if (name === undefined) return err(`"${text}" is not a name with filters in one pair of parentheses`);
  // The walk knows no parameters, so nothing could be filled in.
  if (text.includes('{{')) return err('placeholders are not filled in here');
  if (!NAME.test(name)) return err(`"${name}" is not the name of an event`);
  if (filters === undefined) return ok({ name, filters: {} });
  return Result.combine(filters.split(',').map(parseFilter)).andThen((pairs) => {
    const twice = pairs.find(([key], place) => pairs.findIndex(([other]) => other === key) !== place);
    return twice ? err(`"${twice[0]}" has two filters`) : ok({ name, filters: Object.fromEntries(pairs) });
  });
}

function parseFilter(text: string): Result<readonly [string, string], string> {
  const cut = text.indexOf('=');
  const [key, value] = [text.slice(0, Math.max(0, cut)).trim(), text.slice(cut + 1).trim()];
  if (cut < 0 || !KEY.test(key) || key === '__proto__' || value === '') {
    return err(`"${text.trim()}" is not a filter "key=value"`);
  }
  return ok([key, value]);
}
