/** A run's context: external inputs, kept as run-scoped events (locks, sections 16.3.1 and 18.2). */
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { canonicalJson, type JsonObject } from '../../canonical';
import { MAX_CONTEXT_BYTES } from './budgets';
import { CONTEXT_SOURCES } from './closed-sets';
import { ContextId } from './ids';
import { utf8Length } from './text';

/** Keys that would reach an object's prototype where somebody is careless. */
const RESERVED = ['__proto__', 'constructor', 'prototype'] as const;

/** What is wrong with a context. */
export type ContextFault =
  | { readonly kind: 'reserved_key'; readonly key: string }
  | { readonly kind: 'not_json'; readonly pointer: string; readonly reason: string }
  | { readonly kind: 'too_large'; readonly bytes: number; readonly maxBytes: number };

/** Check a context as a whole: plain JSON, no reserved key at its top, within its budget of canonical UTF-8 bytes. */
export function checkContext(value: unknown): Result<JsonObject, ContextFault> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return err({ kind: 'not_json', pointer: '', reason: 'not an object' });
  }
  const reserved = Object.getOwnPropertyNames(value).find((key) => RESERVED.some((one) => one === key));
  if (reserved !== undefined) return err({ kind: 'reserved_key', key: reserved });
  const text = canonicalJson(value);
  if (text.isErr()) return err({ kind: 'not_json', ...text.error });
  const bytes = utf8Length(text.value);
  if (bytes > MAX_CONTEXT_BYTES) return err({ kind: 'too_large', bytes, maxBytes: MAX_CONTEXT_BYTES });
  // It is an object, and canonicalJson has seen that it is JSON all through.
  return ok(value as JsonObject);
}

/** Lay a delta over a context: keys are replaced whole, null deletes one. */
export function mergeContext(stored: JsonObject, delta: JsonObject): Result<JsonObject, ContextFault> {
  const reserved = Object.getOwnPropertyNames(delta).find((key) => RESERVED.some((one) => one === key));
  if (reserved !== undefined) return err({ kind: 'reserved_key', key: reserved });
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(delta)) {
    // A caller's undefined is no value of JSON and says nothing.
    if ((value as unknown) === undefined) continue;
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return ok(Object.fromEntries(merged));
}

export const ContextSet = z.object({
  contextId: ContextId,
  context: z
    .custom<JsonObject>((value) => checkContext(value).isOk(), 'must be a JSON object within its budget')
    .meta({ type: 'object' }),
  source: z.enum(CONTEXT_SOURCES),
});
export type ContextSet = z.infer<typeof ContextSet>;
