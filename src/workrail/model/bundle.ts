/** Export bundles: one JSON document that another store can go on from (locks, section 1.3). Tokens are never in one. */
import { z } from 'zod';
import { CompiledWorkflow } from './compiled-workflow';
import { SESSION_HEALTHS } from './closed-sets';
import { DomainEvent } from './events';
import { BundleId, Digest, SessionId, SnapshotRef, WorkflowHash } from './ids';
import { ManifestRecord } from './manifest';
import { ExecutionSnapshot } from './snapshot';

export const BUNDLE_VERSION = 1;

export const IntegrityEntry = z.object({
  path: z.string().min(1),
  sha256: Digest,
  /** Of the canonical JSON, in UTF-8. */
  bytes: z.int().nonnegative(),
});
export type IntegrityEntry = z.infer<typeof IntegrityEntry>;

/** An artifact that travels with its session. */
export const BundledArtifact = z.object({
  contentType: z.string().min(1).max(255),
  byteLength: z.int().nonnegative(),
  base64: z.base64(),
});
export type BundledArtifact = z.infer<typeof BundledArtifact>;

export const BundleEnvelope = z.object({
  bundleSchemaVersion: z.literal(BUNDLE_VERSION),
  bundleId: BundleId,
  /** For people only. */
  exportedAt: z.iso.datetime(),
  producer: z.object({ appVersion: z.string().min(1), appliedConfigHash: Digest.optional() }),
  integrity: z.object({
    kind: z.literal('sha256_manifest_v1'),
    entries: z.array(IntegrityEntry),
    /**
     * Of the events as our segments have them: JSON lines with the keys in the order they were written in. Where it still
     * holds, the digests of the segments can be checked; a program that wrote the bundle anew may have lost that order.
     */
    eventLines: Digest.optional(),
  }),
  /** There when the session was not healthy: only its validated beginning is in here, and nobody may go on from it. */
  salvaged: z.object({ health: z.enum(SESSION_HEALTHS), reason: z.string() }).optional(),
});
export type BundleEnvelope = z.infer<typeof BundleEnvelope>;

export const Bundle = BundleEnvelope.extend({
  session: z.object({
    sessionId: SessionId,
    events: z.array(DomainEvent),
    manifest: z.array(ManifestRecord),
    snapshots: z.record(SnapshotRef, ExecutionSnapshot),
    pinnedWorkflows: z.record(WorkflowHash, CompiledWorkflow),
  }),
  artifacts: z.record(Digest, BundledArtifact).optional(),
});
export type Bundle = z.infer<typeof Bundle>;
