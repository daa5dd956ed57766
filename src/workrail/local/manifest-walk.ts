/**
 * Follow a manifest from where a log ends (locks, section 1). A segment becomes part of the log when its attestation, its
 * bytes, its events and all its pins are in order; the first thing that is not ends the walk, and nothing after it is looked
 * at. Nothing is mended on the way.
 */
import {
  readManifestRecord,
  type DomainEvent,
  type EventOf,
  type ManifestRecord,
  type SegmentClosed,
  type SnapshotPinned,
} from '../model';
import { type CorruptionCode, type CorruptionReason } from '../ports';
import { faultOf, nodesOf, parseLine, readSegment, wholeLines } from './segment';
import { type SessionLog } from './session-log';

/** A segment whose pins are still to come. */
interface Open {
  readonly records: ManifestRecord[];
  readonly events: readonly DomainEvent[];
  readonly unpinned: Map<number, EventOf<'node_created'>>;
}

export type ReadSegmentFile = (relativePath: string) => Uint8Array | null;

/** Take the bytes that follow the validated part of a manifest into the log. Answers with what ended it too early. */
export function walkManifest(
  log: SessionLog,
  tail: Uint8Array,
  readFile: ReadSegmentFile,
): CorruptionReason | null {
  const walk = new ManifestWalk(log, readFile);
  const start = log.manifestBytes;
  let read = 0;
  for (const { bytes, end } of wholeLines(tail)) {
    const fault = walk.step(bytes, start + end);
    if (fault) return fault;
    read = end;
  }
  return read < tail.length
    ? reason('manifest_torn', 'the last line of the manifest has no end')
    : walk.end();
}

class ManifestWalk {
  private open: Open | null = null;

  constructor(
    private readonly log: SessionLog,
    private readonly readFile: ReadSegmentFile,
  ) {}

  step(bytes: Uint8Array, end: number): CorruptionReason | null {
    const index = this.log.recordCount + (this.open?.records.length ?? 0);
    const at = `record ${index} of the manifest`;
    // No JSON has this byte: it is space that was given to the file and never written.
    if (bytes.includes(0)) return reason('manifest_torn', `${at} was not written whole`);
    const read = readManifestRecord(parseLine(bytes));
    if (read.isErr()) return faultOf('manifest_line_invalid', at, read.error);
    const record = read.value;
    if (record.sessionId !== this.log.sessionId)
      return reason('manifest_line_invalid', `${at} is another session's`);
    if (record.manifestIndex !== index)
      return reason('manifest_order_invalid', `${at} has the manifestIndex ${record.manifestIndex}`);
    return record.kind === 'segment_closed' ? this.close(record, at, end) : this.pin(record, at, end);
  }

  end(): CorruptionReason | null {
    const [event] = this.open?.unpinned.values() ?? [];
    return event ? reason('pin_missing', `the snapshot of event ${event.eventIndex} is not pinned`) : null;
  }

  private close(record: SegmentClosed, at: string, end: number): CorruptionReason | null {
    const missing = this.end();
    if (missing) return missing;
    if (record.firstEventIndex !== this.log.eventCount)
      return reason(
        'segment_bounds_invalid',
        `${at} begins at event ${record.firstEventIndex}, after ${this.log.eventCount} events`,
      );
    const events = readSegment(record, this.readFile(record.segmentRelPath));
    if (events.isErr()) return events.error;
    const fault = this.repeated(events.value);
    if (fault) return fault;
    const unpinned = new Map(nodesOf(events.value).map((event) => [event.eventIndex, event]));
    this.open = { records: [record], events: events.value, unpinned };
    this.commitIfWhole(end);
    return null;
  }

  private repeated(events: readonly DomainEvent[]): CorruptionReason | null {
    const keys = new Set<string>();
    for (const { dedupeKey, eventIndex, kind } of events) {
      if ((eventIndex === 0) !== (kind === 'session_created'))
        return reason('event_invalid', `event ${eventIndex} is a ${kind}`);
      if (keys.has(dedupeKey) || this.log.placeOf(dedupeKey) !== undefined)
        return reason('event_invalid', `event ${eventIndex} has a dedupe key that an earlier one has`);
      keys.add(dedupeKey);
    }
    return null;
  }

  private pin(record: SnapshotPinned, at: string, end: number): CorruptionReason | null {
    const first = this.log.eventCount;
    const event = this.log.at(record.eventIndex) ?? this.open?.events[record.eventIndex - first];
    const fits =
      event?.kind === 'node_created' &&
      event.data.snapshotRef === record.snapshotRef &&
      event.eventId === record.createdByEventId;
    if (!fits) return reason('pin_invalid', `${at} pins what no event introduces`);
    if (this.open === null) {
      // A pin may be repeated (locks, section 1).
      this.log.commit([record], [], end);
      return null;
    }
    this.open.records.push(record);
    this.open.unpinned.delete(record.eventIndex);
    this.commitIfWhole(end);
    return null;
  }

  private commitIfWhole(end: number): void {
    if (this.open === null || this.open.unpinned.size > 0) return;
    this.log.commit(this.open.records, this.open.events, end);
    this.open = null;
  }
}

const reason = (code: CorruptionCode, message: string): CorruptionReason => ({ code, message });
