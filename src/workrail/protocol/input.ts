/** What callers hand in, checked beyond its schema: what cannot be kept is refused before anything is done. */
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson, findNotJson, type JsonObject } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import {
  checkContext,
  type ContextFault,
  mergeContext,
  type PreferenceChange,
  type Preferences,
} from '../model';

/** How the size of a context is measured (locks, section 16.3.1). */
export const CONTEXT_METHOD = 'RFC 8785 (JCS) canonical JSON, UTF-8 bytes';

/** A context laid over what a run has; null: there is nothing new. */
export function contextAfter(
  stored: JsonObject,
  delta: Readonly<Record<string, unknown>> | undefined,
): Result<JsonObject | null, RailyardError> {
  if (delta === undefined || Object.keys(delta).length === 0) return ok(null);
  return checkContext(delta)
    .andThen((checked) => mergeContext(stored, checked))
    .andThen((merged) => checkContext(merged))
    .mapErr(contextProblem);
}

function contextProblem(fault: ContextFault): RailyardError {
  switch (fault.kind) {
    case 'too_large':
      return problem(
        'VALIDATION_ERROR',
        `The run's context would have ${fault.bytes} bytes of canonical JSON; at most ${fault.maxBytes} are kept.`,
        {
          suggestion:
            'Remove documents and other blobs from context and pass references instead (paths, ids, URLs); null removes a key that ' +
            'the run has already. Results belong into output.',
          details: {
            field: 'context',
            measuredBytes: fault.bytes,
            maxBytes: fault.maxBytes,
            method: CONTEXT_METHOD,
          },
        },
      );
    case 'reserved_key':
      return problem('VALIDATION_ERROR', `The context has the key "${fault.key}", which is reserved.`, {
        suggestion: 'Give it another name.',
        details: { field: 'context', key: fault.key },
      });
    case 'not_json':
      return problem('VALIDATION_ERROR', `The context is not JSON at "${fault.pointer}": ${fault.reason}.`, {
        suggestion: 'Pass plain JSON: objects, arrays, strings, finite numbers, booleans and null.',
        details: { field: 'context', pointer: fault.pointer, reason: fault.reason },
      });
  }
}

/** Whether a field can be written down at all: JSON has texts that no file can hold. */
export function jsonField(field: string, value: unknown): Result<void, RailyardError> {
  const fault = findNotJson(value);
  if (!fault) return ok(undefined);
  const pointer = `/${field}${fault.pointer}`;
  return err(
    problem('VALIDATION_ERROR', `The input is not JSON at "${pointer}": ${fault.reason}.`, {
      details: { field, pointer, reason: fault.reason },
    }),
  );
}

/** An artifact as it is kept: the bytes of its canonical JSON. */
export interface ArtifactBytes {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

const utf8 = new TextEncoder();

export function artifactBytes(artifact: unknown): ArtifactBytes {
  const text = canonicalJson(artifact);
  // jsonField has been asked before.
  if (text.isErr()) throw new Error(`Bug: an artifact that is not JSON: ${text.error.reason}`);
  return { bytes: utf8.encode(text.value), contentType: 'application/json' };
}

/** What a caller wants changed, in one order; empty: nothing. */
export function preferenceChanges(
  wanted:
    | {
        readonly autonomy?: Preferences['autonomy'] | undefined;
        readonly riskPolicy?: Preferences['riskPolicy'] | undefined;
      }
    | undefined,
): PreferenceChange[] {
  return [
    ...(wanted?.autonomy ? [{ key: 'autonomy' as const, value: wanted.autonomy }] : []),
    ...(wanted?.riskPolicy ? [{ key: 'riskPolicy' as const, value: wanted.riskPolicy }] : []),
  ];
}
