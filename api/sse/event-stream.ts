/**
 * The stream of one client. What the client does not read waits here, and only so much of it: a client that falls further
 * behind is told so and dropped. It can come back with its last event's id.
 */
import { Readable } from 'node:stream';
import { frame } from './event-log';

/** What may wait for a client beyond what it was sent when it came. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How long a client that is dropped has to read why. */
const GRACE_MS = 10_000;

export const HEARTBEAT_MS = 15_000;

export class EventStream extends Readable {
  private readonly heart: NodeJS.Timeout;
  private grace: NodeJS.Timeout | null = null;
  private opening = 0;
  private ended = false;

  constructor(heartbeatMs: number) {
    super();
    this.heart = setInterval(() => this.tell(': still here\n\n'), heartbeatMs);
  }

  /** What the client hears first, however long it is. */
  open(text: string): void {
    const first = `retry: 2000\n\n${text}`;
    this.opening = Buffer.byteLength(first);
    this.push(first);
  }

  /** Pass something on. */
  tell(text: string): void {
    if (this.ended) return;
    if (this.readableLength <= this.opening + MAX_WAITING_BYTES) {
      this.push(text);
      return;
    }
    const why = 'You read more slowly than things happen; come back with the id of your last event.';
    this.finish(frame({ type: 'dropped', data: { message: why } }, null));
  }

  /** Nothing more comes after this. */
  finish(text = ''): void {
    if (this.ended) return;
    this.ended = true;
    if (text !== '') this.push(text);
    this.push(null);
    this.grace = setTimeout(() => this.destroy(), GRACE_MS);
  }

  /** Whoever reads takes what there is. */
  override _read(): void {
    return;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.heart);
    if (this.grace) clearTimeout(this.grace);
    done(error);
  }
}
