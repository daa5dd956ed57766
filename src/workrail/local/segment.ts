/** Segments and manifest records as bytes. */
import { err, ok, type Result } from 'neverthrow';
import { sha256Digest } from '../../canonical';
import {
  Digest,
  MANIFEST_VERSION,
  readEvent,
  type DomainEvent,
  type EventIndex,
  type ManifestIndex,
  type ManifestRecord,
  type RecordFault,
  type SegmentClosed,
  type SessionId,
} from '../model';
import { type CorruptionCode, type CorruptionReason } from '../ports';
import { segmentName } from './layout';

const NEWLINE = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** JSON values as lines. */
export function linesOf(values: readonly unknown[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

/** A line of a file: its bytes, and where the next one begins. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/** The whole lines of some bytes; what follows the last newline is not one. */
export function* wholeLines(bytes: Uint8Array): Generator<Line> {
  for (let start = 0; ;) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline === -1) return;
    yield { bytes: bytes.subarray(start, newline), end: newline + 1 };
    start = newline + 1;
  }
}

/** The JSON of a line; undefined: it is none. */
export function parseLine(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/** The records that attest a segment: that it is closed, then a pin for each of its nodes. */
export function recordsOf(
  sessionId: SessionId,
  from: number,
  events: readonly [DomainEvent, ...DomainEvent[]],
  segment: Uint8Array,
): ManifestRecord[] {
  const [{ eventIndex: first }] = events;
  const last = events.at(-1)?.eventIndex ?? first;
  const envelope = (offset: number) => ({
    v: MANIFEST_VERSION as 1,
    // The count of records is the next index.
    manifestIndex: (from + offset) as ManifestIndex,
    sessionId,
  });
  const closed: ManifestRecord = {
    ...envelope(0),
    kind: 'segment_closed',
    firstEventIndex: first,
    lastEventIndex: last,
    segmentRelPath: `events/${segmentName({ first, last })}`,
    sha256: Digest.parse(sha256Digest(segment)),
    bytes: segment.length,
  };
  const pins = nodesOf(events).map(({ eventIndex, eventId, data }, i): ManifestRecord => ({
    ...envelope(i + 1),
    kind: 'snapshot_pinned',
    eventIndex,
    snapshotRef: data.snapshotRef,
    createdByEventId: eventId,
  }));
  return [closed, ...pins];
}

/** The events that introduce snapshots. */
export const nodesOf = (events: readonly DomainEvent[]) =>
  events.filter((event) => event.kind === 'node_created');

/** The events of a segment, held against its attestation. */
export function readSegment(
  closed: SegmentClosed,
  bytes: Uint8Array | null,
): Result<DomainEvent[], CorruptionReason> {
  const { segmentRelPath: path, firstEventIndex: first, lastEventIndex: last } = closed;
  const fault = (code: CorruptionCode, what: string) => err({ code, message: `${path} ${what}` });
  if (bytes === null) return fault('segment_missing', 'is not there');
  if (bytes.length !== closed.bytes || sha256Digest(bytes) !== (closed.sha256 as string)) {
    return fault('segment_digest_mismatch', 'is not what the manifest attests');
  }
  const events: DomainEvent[] = [];
  let read = 0;
  for (const line of wholeLines(bytes)) {
    const event = readEvent(parseLine(line.bytes));
    const at = `line ${events.length + 1} of ${path}`;
    if (event.isErr()) return err(faultOf('event_invalid', at, event.error));
    const { sessionId, eventIndex } = event.value;
    if (sessionId !== closed.sessionId)
      return err({ code: 'event_invalid', message: `${at} is another session's` });
    if (eventIndex !== first + events.length) {
      return err({ code: 'event_order_invalid', message: `${at} has the eventIndex ${eventIndex}` });
    }
    events.push(event.value);
    read = line.end;
  }
  if (read !== bytes.length || events.length !== last - first + 1) {
    return fault('segment_bounds_invalid', 'does not have the events that the manifest attests');
  }
  return ok(events);
}

/** What is wrong with a record, as a reason that ends a prefix. */
export function faultOf(code: CorruptionCode, at: string, fault: RecordFault): CorruptionReason {
  return fault.kind === 'unknown_version'
    ? { code: 'unknown_version', message: `${at} has version ${JSON.stringify(fault.found)}` }
    : { code, message: `${at} is not valid: ${fault.pointer || 'the record'} ${fault.reason}` };
}

/** The place after so many events. */
export const eventIndexAt = (count: number): EventIndex => count as EventIndex;
