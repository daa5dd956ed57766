/** `{{placeholders}}` in JSON values: finding them, finding the malformed ones, filling them in. */
import { type JsonObject, type JsonValue } from '../../canonical';

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const ONE_PLACEHOLDER = /^\{\{([^{}]*)\}\}$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The names of the placeholders in a value's strings, each once, in order of appearance. */
export function placeholdersIn(value: JsonValue): string[] {
  const names = stringsIn(value, []).flatMap(({ text }) =>
    [...text.matchAll(PLACEHOLDER)].map((match) => (match[1] ?? '').trim()),
  );
  return [...new Set(names)].filter((name) => NAME.test(name));
}

export interface MalformedPlaceholder {
  /** From the root of the searched value. */
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Whatever looks like a placeholder and is none: `{{ }}`, `{{a b}}`, `{{x` without its end. */
export function malformedPlaceholders(value: JsonValue): MalformedPlaceholder[] {
  return stringsIn(value, []).flatMap(({ path, text }) => {
    const closed = [...text.matchAll(PLACEHOLDER)].filter((match) => !NAME.test((match[1] ?? '').trim()));
    const open = /\{\{.{0,20}/.exec(text.replace(PLACEHOLDER, ''));
    return [...closed, ...(open ? [open] : [])].map((match) => ({ path, text: match[0] }));
  });
}

/** What a name stands for; undefined leaves the placeholder as it is. */
export type Lookup = (name: string) => JsonValue | undefined;

/** Fill in a text. A value that is not a string is written as JSON. */
export function fillText(text: string, lookup: Lookup): string {
  return text.replace(PLACEHOLDER, (whole, inner: string) => {
    const value = lookup(inner.trim());
    if (value === undefined) return whole;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** Fill in every string of a value; a string that is one placeholder and no more takes the value itself. */
export function fillValue(value: JsonValue, lookup: Lookup): JsonValue {
  if (typeof value === 'string') {
    const only = ONE_PLACEHOLDER.exec(value)?.[1];
    if (only === undefined) return fillText(value, lookup);
    const found = lookup(only.trim());
    return found === undefined ? value : found;
  }
  if (isArray(value)) return value.map((item) => fillValue(item, lookup));
  if (typeof value === 'object' && value !== null) return fillObject(value, lookup);
  return value;
}

/** Fill in every value of an object. */
export function fillObject(object: JsonObject, lookup: Lookup): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fillValue(value, lookup)]));
}

function stringsIn(
  value: JsonValue,
  path: readonly PropertyKey[],
): { path: readonly PropertyKey[]; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const children: [PropertyKey, JsonValue][] = isArray(value) ? [...value.entries()] : Object.entries(value);
  return children.flatMap(([key, child]) => stringsIn(child, [...path, key]));
}

/** `Array.isArray` does not narrow a readonly array out of a union. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
