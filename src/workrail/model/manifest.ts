/** The control stream of a session: which segments are attested, and which snapshots are pinned (locks, section 1). */
import { z } from 'zod';
import { Digest, EventId, EventIndex, ManifestIndex, SessionId, SnapshotRef } from './ids';

export const MANIFEST_VERSION = 1;

/** A path inside the session's directory: no root, no way up, no backslash (locks, section 13). */
export const RelativePath = z
  .string()
  .max(512)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9_.\-/]+$/);

const envelope = { v: z.literal(MANIFEST_VERSION), manifestIndex: ManifestIndex, sessionId: SessionId };

export const SegmentClosed = z.object({
  ...envelope,
  kind: z.literal('segment_closed'),
  firstEventIndex: EventIndex,
  lastEventIndex: EventIndex,
  segmentRelPath: RelativePath,
  sha256: Digest,
  bytes: z.int().nonnegative(),
});
export type SegmentClosed = z.infer<typeof SegmentClosed>;

export const SnapshotPinned = z.object({
  ...envelope,
  kind: z.literal('snapshot_pinned'),
  eventIndex: EventIndex,
  snapshotRef: SnapshotRef,
  createdByEventId: EventId,
});
export type SnapshotPinned = z.infer<typeof SnapshotPinned>;

export const ManifestRecord = z
  .discriminatedUnion('kind', [SegmentClosed, SnapshotPinned])
  .refine((record) => record.kind !== 'segment_closed' || record.firstEventIndex <= record.lastEventIndex, {
    path: ['lastEventIndex'],
    message: 'must not be before firstEventIndex',
  });
export type ManifestRecord = z.infer<typeof ManifestRecord>;
