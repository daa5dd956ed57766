import { err, ok, type Result } from 'neverthrow';
import { findNotJson, pointerOf, type JsonValue, type NotJson } from '../../canonical';
import { findJsonFault, placeOf } from './json-fault';

/** Why a source is not JSON, and where; its compiler makes a sentence of it. */
export interface JsonRefusal {
  /** `line 3, column 5` of a text, `at "/a/0"` of a value. */
  readonly place: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A source to a JSON value: text is parsed, anything else is taken as the value. */
export function parseJson(source: unknown): Result<JsonValue, JsonRefusal> {
  return typeof source === 'string' ? parseText(source) : checkValue(source);
}

function parseText(source: string): Result<JsonValue, JsonRefusal> {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const fault = findJsonFault(text);
  if (fault) {
    const { line, column } = placeOf(text, fault.offset);
    const { reason } = fault;
    return err({ place: `line ${line}, column ${column}`, reason, details: { line, column, reason } });
  }
  const value: unknown = JSON.parse(text);
  return checkValue(value);
}

/** A value that came from elsewhere: JSON through and through, and no key that JavaScript treats specially. */
function checkValue(value: unknown): Result<JsonValue, JsonRefusal> {
  const fault = findNotJson(value) ?? findProto(value, []);
  if (fault) return err({ place: `at "${fault.pointer}"`, reason: fault.reason, details: { ...fault } });
  // findNotJson has just proved it.
  return ok(value as JsonValue);
}

/** `__proto__` is lost or worse wherever an object is copied. */
function findProto(value: unknown, path: readonly PropertyKey[]): NotJson | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    const here = [...path, key];
    if (key === '__proto__') return { pointer: pointerOf(here), reason: '"__proto__" cannot be a key' };
    const found = findProto(child, here);
    if (found) return found;
  }
  return null;
}
