import { err, ok, type Result } from 'neverthrow';
import { findNotJson, pointerOf, type JsonValue, type NotJson } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { findJsonFault, placeOf } from './json-fault';

/** JSON text to a value. Every error names its line and column. */
export function parseText(source: string): Result<JsonValue, RailyardError> {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const fault = findJsonFault(text);
  if (fault) {
    const { line, column } = placeOf(text, fault.offset);
    const message = `The template is not JSON: line ${line}, column ${column}: ${fault.reason}.`;
    return err(problem('TEMPLATE_NOT_JSON', message, { details: { line, column, reason: fault.reason } }));
  }
  const value: unknown = JSON.parse(text);
  return checkValue(value);
}

/** A value that came from elsewhere: JSON through and through, and no key that JavaScript treats specially. */
export function checkValue(value: unknown): Result<JsonValue, RailyardError> {
  const fault = findNotJson(value) ?? findProto(value, []);
  if (fault) {
    const message = `The template is not JSON: at "${fault.pointer}": ${fault.reason}.`;
    return err(problem('TEMPLATE_NOT_JSON', message, { details: { ...fault } }));
  }
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
