/** The validated part of a session in memory: what the store hands out as a `Session`. */
import {
  type DedupeKey,
  type DomainEvent,
  type EventIndex,
  type ManifestRecord,
  type SessionId,
} from '../model';
import { type Projection, type Session } from '../ports';
import { Links } from './links';

/** A segment that no chunk of the disk cache covers yet. */
export interface LooseSegment {
  readonly path: string;
  readonly lastEvent: number;
  /** Where its records end in the manifest, in bytes. */
  readonly manifestEnd: number;
}

interface Projected {
  readonly state: unknown;
  upTo: number;
}

/** `events`: all of them; `places`: only what a plan is judged by, for whoever writes a log that nobody reads here. */
export type LogMemory = 'events' | 'places';

export class SessionLog implements Session {
  readonly links = new Links();
  /** How much of the manifest is validated, in bytes. */
  manifestBytes = 0;
  /** How much of it this process knows to be on the disk. */
  durableBytes = 0;
  /** Events that chunks of the disk cache cover, and where their records end in the manifest. */
  cached = { events: 0, manifestEnd: 0 };
  loose: LooseSegment[] = [];

  private readonly log: DomainEvent[] = [];
  private readonly records: ManifestRecord[] = [];
  private readonly places = new Map<DedupeKey, EventIndex>();
  private readonly projected = new WeakMap<object, Projected>();
  private count = 0;

  constructor(
    readonly sessionId: SessionId,
    private readonly memory: LogMemory = 'events',
  ) {}

  get eventCount(): number {
    return this.count;
  }

  get recordCount(): number {
    return this.records.length;
  }

  events(from = 0): readonly DomainEvent[] {
    return this.log.slice(from);
  }

  at(index: number): DomainEvent | undefined {
    return this.log[index];
  }

  manifest(from = 0): readonly ManifestRecord[] {
    return this.records.slice(from);
  }

  find(key: DedupeKey): DomainEvent | undefined {
    const place = this.places.get(key);
    return place === undefined ? undefined : this.log[place];
  }

  /** Where the committed event with this key is. */
  placeOf(key: DedupeKey): EventIndex | undefined {
    return this.places.get(key);
  }

  project<State>(projection: Projection<State>): Readonly<State> {
    const kept = this.projected.get(projection) ?? { state: projection.initial(), upTo: 0 };
    this.projected.set(projection, kept);
    // The state was made by this very projection: the map's key is the object itself.
    const state = kept.state as State;
    for (; kept.upTo < this.log.length; kept.upTo += 1) {
      const event = this.log[kept.upTo];
      if (event) projection.apply(state, event);
    }
    return state;
  }

  /** Take in what is truth now: records, the events they attest, and the end of the records in the manifest. */
  commit(records: readonly ManifestRecord[], events: readonly DomainEvent[], manifestEnd: number): void {
    for (const record of records) {
      this.records.push(record);
      if (record.kind === 'segment_closed') {
        this.loose.push({ path: record.segmentRelPath, lastEvent: record.lastEventIndex, manifestEnd });
      }
    }
    for (const event of events) {
      if (this.memory === 'events') this.log.push(event);
      this.places.set(event.dedupeKey, event.eventIndex);
      this.links.add(event);
    }
    this.count += events.length;
    this.manifestBytes = manifestEnd;
  }

  /** What chunks cover is loose no more. */
  covered(events: number, manifestEnd: number): void {
    this.cached = { events, manifestEnd };
    this.loose = this.loose.filter(({ lastEvent }) => lastEvent >= events);
  }
}
