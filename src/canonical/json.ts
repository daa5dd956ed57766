/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Where a value stops being JSON, and why. */
export interface NotJson {
  /** RFC 6901 pointer to the offending place. */
  readonly pointer: string;
  readonly reason: string;
}

/** Deeper values are refused: nothing here needs them, and they would end the stack of whoever walks them. */
export const MAX_DEPTH = 256;

/** With the `u` flag a surrogate matches only where it stands alone. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** An RFC 6901 JSON pointer from its steps. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The first place where `value` is not JSON (as RFC 8785 understands it), or null. */
export function findNotJson(value: unknown): NotJson | null {
  return visit(value, []);
}

function visit(value: unknown, path: PropertyKey[]): NotJson | null {
  const no = (reason: string): NotJson => ({ pointer: pointerOf(path), reason });
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      return LONE_SURROGATE.test(value) ? no('a string with a lone surrogate') : null;
    case 'number':
      return Number.isFinite(value) ? null : no('a number that is not finite');
    case 'object':
      if (value === null) return null;
      if (path.length >= MAX_DEPTH) return no(`nested more than ${MAX_DEPTH} levels deep`);
      return Array.isArray(value) ? visitArray(value, path) : visitObject(value, path, no);
    default:
      return no(`${typeof value} is not a JSON value`);
  }
}

function visitArray(array: readonly unknown[], path: PropertyKey[]): NotJson | null {
  // By index, so that a hole is seen as the undefined it reads as.
  for (let i = 0; i < array.length; i++) {
    const found = visitChild(array[i], i, path);
    if (found) return found;
  }
  return null;
}

function visitObject(object: object, path: PropertyKey[], no: (reason: string) => NotJson): NotJson | null {
  const prototype: unknown = Object.getPrototypeOf(object);
  // A prototype without a prototype is some realm's Object.prototype.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return no('not a plain object');
  if (Object.getOwnPropertySymbols(object).length > 0) return no('an object with a symbol for a key');
  for (const [key, child] of Object.entries(object)) {
    if (LONE_SURROGATE.test(key)) return no('a key with a lone surrogate');
    const found = visitChild(child, key, path);
    if (found) return found;
  }
  return null;
}

function visitChild(child: unknown, step: PropertyKey, path: PropertyKey[]): NotJson | null {
  path.push(step);
  const found = visit(child, path);
  path.pop();
  return found;
}
