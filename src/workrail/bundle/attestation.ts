/**
 * The manifest of a bundle against its events: records in order from 0, segments that cover the events without gap or
 * overlap, after each segment the pins of its nodes, and no event or node that is not attested (locks, section 1).
 *
 * The digests of segments are of a writer's bytes. Ours writes events as JSON lines; a bundle of ours says which digest all its
 * lines have together, and where that holds each segment must have its own. Of other producers' segments only bounds, order
 * and pins are checked; the events themselves are covered by the bundle's integrity either way.
 */
import { RunningDigest } from '../../canonical';
import { type Digest, type DomainEvent, type ManifestRecord, type SegmentClosed } from '../model';
import { type Faults } from './fault';
import { type Pace } from './pace';

/** An event as a line of a segment. */
export const eventLine = (event: DomainEvent): string => `${JSON.stringify(event)}\n`;

export function checkManifest(
  manifest: readonly ManifestRecord[],
  events: readonly DomainEvent[],
  faults: Faults,
): void {
  const pinned = new Set<number>();
  let attested = 0;
  for (const [i, record] of manifest.entries()) {
    const fault = recordFault(record, i, attested, events);
    if (fault !== null) {
      faults.note('manifest_order', `session/manifest/${i}`, fault);
      return;
    }
    if (record.kind === 'segment_closed') attested = record.lastEventIndex + 1;
    else pinned.add(record.eventIndex);
  }
  if (attested !== events.length) {
    faults.note('manifest_order', 'session/manifest', `attests ${attested} of ${events.length} events`);
  }
  const bare = events.find(({ kind, eventIndex }) => kind === 'node_created' && !pinned.has(eventIndex));
  if (bare) {
    faults.note('manifest_order', 'session/manifest', `has no pin for the node of event ${bare.eventIndex}`);
  }
}

/** What is wrong with the record at a place, where so many events are attested before it; null: nothing. */
function recordFault(
  record: ManifestRecord,
  place: number,
  attested: number,
  events: readonly DomainEvent[],
): string | null {
  if (record.manifestIndex !== place) {
    return `has the manifestIndex ${record.manifestIndex}, and ${place} is its place`;
  }
  if (record.kind === 'segment_closed') {
    if (record.firstEventIndex !== attested) {
      return `attests events from ${record.firstEventIndex}, and ${attested} is the next`;
    }
    return record.lastEventIndex < events.length
      ? null
      : `attests events up to ${record.lastEventIndex}, and there are ${events.length}`;
  }
  if (record.eventIndex >= attested) return 'pins a snapshot before the segment of its event is closed';
  const event = events[record.eventIndex];
  const isOfIt =
    event?.kind === 'node_created' &&
    event.eventId === record.createdByEventId &&
    event.data.snapshotRef === record.snapshotRef;
  return isOfIt ? null : `pins a snapshot that the event ${record.eventIndex} did not create`;
}

/** The digests of our own segments, where the bundle still has the bytes they are of. The manifest must be in order. */
export async function checkSegments(
  manifest: readonly ManifestRecord[],
  events: readonly DomainEvent[],
  eventLines: Digest | undefined,
  pace: Pace,
  faults: Faults,
): Promise<void> {
  if (eventLines === undefined) return;
  const all = new RunningDigest();
  const wrong: SegmentClosed[] = [];
  const isDigest = (text: string, digest: Digest): boolean => text === digest;
  for (const record of manifest) {
    if (record.kind !== 'segment_closed') continue;
    const segment = new RunningDigest();
    for (const event of events.slice(record.firstEventIndex, record.lastEventIndex + 1)) {
      const line = eventLine(event);
      all.add(line);
      segment.add(line);
      await pace.step();
    }
    const { sha256, bytes } = segment.end();
    if (!isDigest(sha256, record.sha256) || bytes !== record.bytes) wrong.push(record);
  }
  const [first] = wrong;
  if (!isDigest(all.end().sha256, eventLines) || !first) return;
  const where = `session/manifest/${first.manifestIndex}`;
  faults.note(
    'integrity',
    where,
    `attests other bytes than the events ${first.firstEventIndex} to ${first.lastEventIndex} have`,
  );
}
