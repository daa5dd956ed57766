/** The last events of a feed, each with an id, so that a client that lost its connection hears what it missed. */
import { randomBytes } from 'node:crypto';

/** Something to tell, not yet numbered. */
export interface FeedEvent {
  readonly type: string;
  readonly data: unknown;
}

/** How many events are kept, and how many bytes of them. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** An event as it goes over the wire; without an id, a client's place stays where it is. */
export function frame({ type, data }: FeedEvent, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export class EventLog {
  /** Ids of another log, of an earlier process say, are recognised as strangers. */
  private readonly name = randomBytes(6).toString('base64url');
  private readonly frames: string[] = [];
  private bytes = 0;
  /** Number of the last event. */
  private last = 0;

  /** The id of the last event, whether it is kept or not. */
  get lastId(): string {
    return `${this.name}.${this.last}`;
  }

  /** Number an event and keep it; answers with what is sent. */
  append(event: FeedEvent): string {
    this.last += 1;
    const text = frame(event, this.lastId);
    this.frames.push(text);
    this.bytes += text.length;
    while (this.frames.length > MAX_EVENTS || this.bytes > MAX_BYTES) {
      this.bytes -= this.frames.shift()?.length ?? 0;
    }
    return text;
  }

  /** What came after an event; null where that is not known any more, or never was. */
  since(id: string): readonly string[] | null {
    const [name, number] = id.split('.', 2);
    if (name !== this.name || number === undefined || !/^\d{1,15}$/.test(number)) return null;
    const missed = this.last - Number(number);
    return missed >= 0 && missed <= this.frames.length
      ? this.frames.slice(this.frames.length - missed)
      : null;
  }
}
