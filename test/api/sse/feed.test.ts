import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { err, ok, type Result } from 'neverthrow';
import { EventLog, type FeedEvent } from '../../../api/sse/event-log';
import { EventStream } from '../../../api/sse/event-stream';
import { Feed, type Source } from '../../../api/sse/feed';
import { problem, type RailyardError } from '../../../src/errors';

/** A number that counts up as it is told to. */
class Counter implements Source {
  value = 0;
  looks = 0;
  over = false;
  trouble: RailyardError | null = null;
  private seen = 0;

  look(): Promise<Result<readonly FeedEvent[], RailyardError>> {
    this.looks += 1;
    if (this.trouble) return Promise.resolve(err(this.trouble));
    const events: FeedEvent[] = [];
    while (this.seen < this.value) events.push({ type: 'count', data: ++this.seen });
    return Promise.resolve(ok(events));
  }

  snapshot(): FeedEvent {
    return { type: 'snapshot', data: this.seen };
  }

  ending(): { id: string; event: FeedEvent } | null {
    return this.over ? { id: 'over', event: { type: 'end', data: this.seen } } : null;
  }
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function watch(counter: Counter): { feed: Feed; idle: () => number; faults: unknown[] } {
  let idle = 0;
  const faults: unknown[] = [];
  const feed = new Feed(
    counter,
    5,
    () => (idle += 1),
    (error) => faults.push(error),
  );
  closing.push(() => feed.close());
  return { feed, idle: () => idle, faults };
}

function client(heartbeatMs = 60_000): EventStream {
  const stream = new EventStream(heartbeatMs);
  closing.push(() => stream.destroy());
  return stream;
}

/** Events of a stream as [type, data], and the id of the last one. */
function parsed(body: string): { events: [string, unknown][]; last: string } {
  const events: [string, unknown][] = [];
  let last = '';
  for (const part of body.split('\n\n')) {
    last = /^id: (.*)$/m.exec(part)?.[1] ?? last;
    const [, type, data] = /^event: (.*)\ndata: (.*)$/m.exec(part) ?? [];
    if (type !== undefined) events.push([type, JSON.parse(data ?? '')]);
  }
  return { events, last };
}

async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; !holds(); n++) {
    if (n > 2_000) throw new Error('In vain');
    await sleep(5);
  }
}

describe('a feed', () => {
  it('tells every client everything once, with one look for all, and ends', async () => {
    const counter = new Counter();
    const { feed } = watch(counter);
    const clients = [client(), client(), client()];
    for (const one of clients) expect(await feed.join(one, null)).toEqual(ok(true));
    expect(counter.looks).toBe(1);
    counter.value = 3;
    counter.over = true;
    const bodies = await Promise.all(clients.map((one) => text(one)));
    for (const body of bodies) {
      expect(parsed(body).events).toEqual([
        ['snapshot', 0],
        ['count', 1],
        ['count', 2],
        ['count', 3],
        ['end', 3],
      ]);
      expect(parsed(body).last).toBe('over');
    }
    expect(await feed.join(client(), 'over')).toEqual(ok(false));
  });

  it('tells a client that comes back what it missed, and a stranger everything', async () => {
    const counter = new Counter();
    const { feed, idle } = watch(counter);
    const first = client();
    await feed.join(first, null);
    counter.value = 1;
    const [chunk] = (await once(first, 'data')) as [Buffer];
    const { last } = parsed(`${chunk.toString()}\n\n`);
    first.destroy();
    await until(() => idle() === 1);
    counter.value = 3;
    counter.over = true;
    const [back, stranger] = [client(), client()];
    await feed.join(back, last);
    await feed.join(stranger, 'other.1');
    const after = parsed(await text(back)).events;
    expect(after.slice(-2)).toEqual([
      ['count', 3],
      ['end', 3],
    ]);
    expect(after.map(([type]) => type)).not.toContain('snapshot');
    expect(parsed(await text(stranger)).events).toEqual([
      ['snapshot', 3],
      ['end', 3],
    ]);
  });

  it('asks nothing while nobody watches', async () => {
    const counter = new Counter();
    const { feed, idle } = watch(counter);
    const only = client();
    await feed.join(only, null);
    await until(() => counter.looks > 3);
    only.destroy();
    await until(() => idle() === 1);
    await sleep(20);
    const { looks } = counter;
    await sleep(50);
    expect(counter.looks).toBe(looks);
  });

  it('says once that it cannot see, and goes on when it can', async () => {
    const counter = new Counter();
    const { feed } = watch(counter);
    const only = client();
    await feed.join(only, null);
    counter.trouble = problem('TEMPORAL_AWAY', 'Nobody is there.');
    await until(() => counter.looks > 1);
    expect((await feed.join(client(), null))._unsafeUnwrapErr().code).toBe('TEMPORAL_AWAY');
    counter.trouble = null;
    counter.value = 1;
    counter.over = true;
    const { events } = parsed(await text(only));
    expect(events.map(([type]) => type)).toEqual(['snapshot', 'trouble', 'count', 'end']);
  });

  it('sends its clients away after a bug, and says so to the log', async () => {
    const counter = new Counter();
    const { feed, faults } = watch(counter);
    const only = client();
    await feed.join(only, null);
    counter.look = () => Promise.reject(new Error('Bug'));
    await text(only);
    expect(faults).toEqual([new Error('Bug')]);
  });
});

describe('a client', () => {
  it('that does not read is told so and dropped, and keeps no more than a bounded amount waiting', () => {
    const slow = client();
    slow.open('x'.repeat(2_000_000));
    const piece = 'y'.repeat(100_000);
    for (let n = 0; n < 1_000; n++) slow.tell(piece);
    expect(slow.readableLength).toBeLessThan(2_000_000 + 1_300_000);
    const all = (slow.read() as Buffer).toString();
    expect(all).toContain('event: dropped');
    expect(slow.read()).toBeNull();
  });

  it('hears a heartbeat', async () => {
    const one = client(5);
    const [beat] = (await once(one, 'data')) as [Buffer];
    expect(beat.toString()).toBe(': still here\n\n');
  });
});

describe('the log of events', () => {
  it('numbers them upwards and knows the last thousand', () => {
    const log = new EventLog();
    const [first] = [log.lastId];
    const ids = Array.from({ length: 1_500 }, (_, n) => {
      log.append({ type: 'n', data: n });
      return log.lastId;
    });
    expect(log.since(first)).toBeNull();
    expect(log.since(ids[498] ?? '')).toBeNull();
    expect(log.since(ids[499] ?? '')).toHaveLength(1_000);
    expect(log.since(ids[1_498] ?? '')).toEqual([`id: ${log.lastId}\nevent: n\ndata: 1499\n\n`]);
    expect(log.since(log.lastId)).toEqual([]);
  });

  it('does not know what it never said', () => {
    const log = new EventLog();
    const [name = ''] = log.lastId.split('.');
    const strangers = ['', 'x', `${name}.1`, `${name}.-1`, `${name}.1e3`, `${name}.`, new EventLog().lastId];
    expect(strangers.map((id) => log.since(id))).toEqual(strangers.map(() => null));
  });

  it('keeps few large events', () => {
    const log = new EventLog();
    const first = log.lastId;
    for (let n = 0; n < 10; n++) log.append({ type: 'large', data: 'x'.repeat(1024 * 1024) });
    expect(log.since(first)).toBeNull();
    expect(log.since(log.lastId)).toEqual([]);
  });
});
