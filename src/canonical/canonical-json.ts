import canonicalize from 'canonicalize';
import { err, ok, type Result } from 'neverthrow';
import { findNotJson, type NotJson } from './json';

/**
 * The one text of a JSON value (RFC 8785): equal values give equal bytes. What JSON cannot say (NaN, undefined, a
 * function, a lone surrogate, a Date) is an error; nothing is dropped or converted on the way.
 */
export function canonicalJson(value: unknown): Result<string, NotJson> {
  const fault = findNotJson(value);
  if (fault) return err(fault);
  const text = canonicalize(value);
  return text === undefined ? err({ pointer: '', reason: 'not a JSON value' }) : ok(text);
}
