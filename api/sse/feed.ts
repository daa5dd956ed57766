/**
 * One thing that is watched, by any number of clients with one poller. Its rules:
 *
 *   idle      nobody watches; nothing is asked. The first client that comes makes it look once before it is answered.
 *   watching  it looks every so often, and every client hears each change once, in order.
 *   over      what is watched has ended; every client hears `end` and its stream is closed. Whoever comes back with the
 *             id of that `end` hears that there is nothing more; should the thing go on again, it is watched again.
 */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { EventLog, frame, type FeedEvent } from './event-log';
import { type EventStream } from './event-stream';

/** What is watched. Between two looks it does not change. */
export interface Source {
  /** Look again: what changed since the last look; at the first look, nothing. */
  look(): Promise<Result<readonly FeedEvent[], RailyardError>>;
  /** All of it as of the last look. */
  snapshot(): FeedEvent;
  /** How it ended, under an id that is the same whoever asks and whenever; null while it goes on. */
  ending(): { readonly id: string; readonly event: FeedEvent } | null;
}

/** After a look that failed, the next one waits this long. */
const TROUBLE_MS = 2_000;

export class Feed {
  private readonly log = new EventLog();
  private readonly clients = new Set<EventStream>();
  private looking: Promise<Result<void, RailyardError>> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private troubled = false;

  constructor(
    private readonly source: Source,
    private readonly everyMs: number,
    /** Told when the last client has left. */
    private readonly onIdle: () => void,
    /** Told of a bug that ended a look; the clients are sent away. */
    private readonly onFault: (error: unknown) => void,
  ) {}

  get watched(): boolean {
    return this.clients.size > 0;
  }

  /** Let a client in. False: it has heard everything there will be. */
  async join(client: EventStream, lastId: string | null): Promise<Result<boolean, RailyardError>> {
    if (this.clients.size === 0 || this.troubled) {
      const looked = await this.look();
      if (looked.isErr()) return err(looked.error);
    }
    // From here to the end nothing is awaited: no change can come between what is sent first and what follows.
    const ending = this.source.ending();
    if (lastId !== null && lastId === ending?.id) return ok(false);
    const missed = lastId === null ? null : this.log.since(lastId);
    client.open(missed ? missed.join('') : frame(this.source.snapshot(), this.log.lastId));
    if (ending) {
      client.finish(frame(ending.event, ending.id));
      return ok(true);
    }
    this.clients.add(client);
    client.once('close', () => this.leave(client));
    this.later(this.everyMs);
    return ok(true);
  }

  /** Send everybody away, with a last word. */
  close(word = ''): void {
    for (const client of this.clients) client.finish(word);
    this.clients.clear();
    this.stop();
  }

  private leave(client: EventStream): void {
    this.clients.delete(client);
    if (this.clients.size > 0) return;
    this.stop();
    this.onIdle();
  }

  private stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private later(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.again().catch((error: unknown) => {
        this.onFault(error);
        this.close();
      });
    }, ms);
  }

  private async again(): Promise<void> {
    this.timer = null;
    const looked = await this.look();
    if (this.clients.size > 0) this.later(looked.isOk() ? this.everyMs : TROUBLE_MS);
  }

  /** Look, and tell everybody; whoever asks meanwhile shares the look. */
  private look(): Promise<Result<void, RailyardError>> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  private async lookOnce(): Promise<Result<void, RailyardError>> {
    const seen = await this.source.look();
    if (seen.isErr()) {
      // Once for each spell of trouble; it is no part of the story, so it has no id.
      if (!this.troubled) this.tell(frame({ type: 'trouble', data: seen.error }, null));
      this.troubled = true;
      return err(seen.error);
    }
    this.troubled = false;
    this.tell(seen.value.map((event) => this.log.append(event)).join(''));
    const ending = this.source.ending();
    if (ending) for (const client of this.clients) client.finish(frame(ending.event, ending.id));
    return ok();
  }

  private tell(text: string): void {
    if (text !== '') for (const client of this.clients) client.tell(text);
  }
}
