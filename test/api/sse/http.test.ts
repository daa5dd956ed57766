import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunChange } from '../../../api/sse/difference';
import { type RunView } from '../../../api/run-view';
import { type RailyardError } from '../../../src/errors';
import { factory, gateAfter, scripted } from '../../yard/templates';
import { Caller } from '../caller';
import { heard } from './views';

let caller: Caller;
beforeAll(async () => {
  caller = await Caller.open();
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

interface Event {
  readonly id: string | null;
  readonly type: string;
  readonly data: unknown;
}

/** The events of a stream as they come. */
async function* events(path: string, lastId?: string): AsyncGenerator<Event> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const response = await caller.fetch('GET', path, undefined, headers);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  let rest = '';
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const parts = `${rest}${chunk}`.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, type, data] = /^event: (.*)\ndata: (.*)$/m.exec(part) ?? [];
      const id = /^id: (.*)$/m.exec(part)?.[1] ?? null;
      if (type !== undefined) yield { id, type, data: JSON.parse(data ?? '') };
    }
  }
}

async function all(stream: AsyncGenerator<Event>): Promise<Event[]> {
  const heardOf: Event[] = [];
  for await (const event of stream) heardOf.push(event);
  return heardOf;
}

/** What a client has made of the events so far. */
const told = (heardOf: readonly Event[]): RunView | null =>
  heardOf
    .filter(({ type }) => type !== 'end')
    .reduce<RunView | null>(
      // The stream is ours, and so are its types.
      (view, { type, data }) => (view ? heard(view, { type, data } as RunChange) : (data as RunView)),
      null,
    );

const gated = factory([scripted('a'), scripted('b', { needs: ['a'] })], { human_gates: [gateAfter('a')] });

describe('the stream of a run', () => {
  it('tells what a later read tells, and ends with the run', async () => {
    const run = await caller.yard.start(gated);
    const stream = all(events(`/factory-run/${run}/events`));
    await caller.yard.untilBlock(run, 'a', 'waiting');
    await caller.yard.decide(run, 'a');
    const heardOf = await stream;
    expect(heardOf.at(0)?.type).toBe('snapshot');
    expect(heardOf.at(-1)).toMatchObject({ type: 'end', data: { run_id: run, status: 'completed' } });
    const view = await caller.call('GET', `/factory-run/${run}`);
    expect(told(heardOf)).toEqual(view.body);
    const numbers = heardOf.slice(0, -1).map(({ id }) => Number(id?.split('.')[1]));
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it('has nothing more for a client that has heard the end', async () => {
    const run = await caller.yard.start(factory([scripted('a')]));
    await caller.yard.untilStatus(run, 'completed');
    const heardOf = await all(events(`/factory-run/${run}/events`));
    expect(heardOf.map(({ type }) => type)).toEqual(['snapshot', 'end']);
    const again = await caller.fetch('GET', `/factory-run/${run}/events`, undefined, {
      'last-event-id': heardOf.at(-1)?.id ?? '',
    });
    expect(again.status).toBe(204);
  });

  it('goes on where a client left it, and begins anew for an id that it does not know', async () => {
    const run = await caller.yard.start(gated);
    await caller.yard.untilBlock(run, 'a', 'waiting');
    const first = events(`/factory-run/${run}/events`);
    const snapshot = (await first.next()).value as Event;
    await first.return(undefined);
    await caller.yard.decide(run, 'a');
    await caller.yard.untilStatus(run, 'completed');
    const rest = await all(events(`/factory-run/${run}/events`, snapshot.id ?? ''));
    expect(rest.map(({ type }) => type)).not.toContain('snapshot');
    const view = await caller.yard.view(run);
    expect(told([snapshot, ...rest])).toEqual(view);
    const anew = await all(events(`/factory-run/${run}/events`, 'from-before-a-restart.7'));
    expect(anew).toMatchObject([{ type: 'snapshot', data: { run_id: run } }, { type: 'end' }]);
  });

  it('is there for many clients, also for one that does not read', async () => {
    const flag = caller.yard.home.path('go');
    const run = await caller.yard.start(factory([scripted('a', { script: [{ until: flag }] })]));
    const { hostname, port } = new URL(caller.root);
    const deaf = connect(Number(port), hostname);
    deaf.write(
      `GET /api/a360/factory-run/${run}/events HTTP/1.1\r\nHost: x\r\n` +
        `Authorization: Bearer ${caller.yard.home.key}\r\n\r\n`,
    );
    deaf.pause();
    const streams = Array.from({ length: 20 }, () => all(events(`/factory-run/${run}/events`)));
    await writeFile(flag, '');
    const endings = (await Promise.all(streams)).map((one) => one.at(-1)?.type);
    expect(endings).toEqual(Array<string>(20).fill('end'));
    deaf.destroy();
  });

  it('is not there for a run that does not exist', async () => {
    const { status, body } = await caller.call<RailyardError>('GET', '/factory-run/nobody/events');
    expect([status, body.code]).toEqual([404, 'RUN_NOT_FOUND']);
    expect((await caller.fetch('HEAD', '/factory-run/nobody/events')).status).toBe(404);
  });

  it('answers HEAD with its headers and no stream', async () => {
    const head = await caller.fetch('HEAD', '/events');
    expect([head.status, head.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(await head.text()).toBe('');
  });
});

describe('the stream of all runs', () => {
  it('tells of each run what the list tells', async () => {
    const stream = events('/events');
    const snapshot = (await stream.next()).value as Event;
    const list = await caller.call<{ runs: unknown[] }>('GET', '/factory-run?limit=200');
    expect(snapshot).toMatchObject({ type: 'snapshot', data: { runs: list.body.runs } });
    const run = await caller.yard.start(factory([scripted('a')]));
    const lines: unknown[] = [];
    for await (const { type, data } of stream) {
      expect(type).toBe('run');
      lines.push(data);
      if ((data as { status: string }).status === 'completed') break;
    }
    const after = await caller.call<{ runs: unknown[] }>('GET', '/factory-run?limit=1');
    expect([lines.at(-1)]).toEqual(after.body.runs);
    expect(lines.at(-1)).toMatchObject({ run_id: run, done: 1 });
  });
});
