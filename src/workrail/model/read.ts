/** Read a durable record: its version first, then its shape. What is read is kept as it stands, unknown fields too. */
import { err, ok, type Result } from 'neverthrow';
import { type z } from 'zod';
import { pointerOf } from '../../canonical';
import { COMPILED_WORKFLOW_VERSION, CompiledWorkflow } from './compiled-workflow';
import { DomainEvent, EVENT_VERSION } from './events';
import { MANIFEST_VERSION, ManifestRecord } from './manifest';
import { ENGINE_PAYLOAD_VERSION, ExecutionSnapshot, SNAPSHOT_VERSION } from './snapshot';

/** Why a record cannot be read: a version of the future (or none), or a shape that its version does not have. */
export type RecordFault =
  | { readonly kind: 'unknown_version'; readonly found: unknown }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

export const readEvent = (value: unknown): Result<DomainEvent, RecordFault> =>
  read(DomainEvent, value, versionOf(value, 'v'), EVENT_VERSION);

export const readManifestRecord = (value: unknown): Result<ManifestRecord, RecordFault> =>
  read(ManifestRecord, value, versionOf(value, 'v'), MANIFEST_VERSION);

export const readCompiledWorkflow = (value: unknown): Result<CompiledWorkflow, RecordFault> =>
  read(CompiledWorkflow, value, versionOf(value, 'schemaVersion'), COMPILED_WORKFLOW_VERSION);

export function readSnapshot(value: unknown): Result<ExecutionSnapshot, RecordFault> {
  const inner = versionOf(versionOf(value, 'enginePayload'), 'v');
  if (typeof inner === 'number' && inner !== ENGINE_PAYLOAD_VERSION) {
    return err({ kind: 'unknown_version', found: inner });
  }
  return read(ExecutionSnapshot, value, versionOf(value, 'v'), SNAPSHOT_VERSION);
}

function read<S extends z.ZodType>(
  schema: S,
  value: unknown,
  version: unknown,
  known: number,
): Result<z.infer<S>, RecordFault> {
  if (typeof version === 'number' && version !== known)
    return err({ kind: 'unknown_version', found: version });
  const parsed = schema.safeParse(value);
  // The schemas convert nothing: the value itself is of their type, and keeps what they do not know.
  if (parsed.success) return ok(value as z.infer<S>);
  const [issue] = parsed.error.issues;
  return err({
    kind: 'invalid',
    pointer: pointerOf(issue?.path ?? []),
    reason: issue?.message ?? 'not of its shape',
  });
}

function versionOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
