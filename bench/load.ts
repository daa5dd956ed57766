/**
 * `load`: the service with 200 clients on its live events and 100 reads a second while 20 runs go on, for a minute. Its
 * floor is the same reads with nobody else there. An answer that is no success, or a stream that breaks, ends it.
 */
import { type ChildProcess } from 'node:child_process';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitOf, ownEnvironment, start, untilUp } from '../scripts/own-service';
import { PACKAGE_ROOT, readEndpoint } from '../src/home';
import { latency, memory, type Line } from './report';

const CLIENTS = 200;
const READS_PER_S = 100;
const RUNS = 20;
const LOAD_MS = 60_000;
/** Skills here take milliseconds; without this the benchmark would measure how fast processes are started. */
const BREATH_MS = 4_000;
/** Until then the service still warms up: code is compiled, caches fill. */
const WARM_MS = 20_000;
const FLOOR_READS = 300;

interface Service {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
}

export async function* loadBench(note: (text: string) => void): AsyncGenerator<Line> {
  const home = await mkdtemp(join(tmpdir(), 'railyard-load-'));
  const up = start(['up', '--port', '0'], await ownEnvironment(home));
  try {
    const service = await serviceOf(home, up);
    note(`load: ${FLOOR_READS} reads of a service that does nothing else`);
    const first = await startRun(service);
    await untilEnded(service, first);
    const floor = await reads(service, [first], FLOOR_READS, FLOOR_READS);

    note(`load: ${CLIENTS} streams, ${READS_PER_S} reads/s, ${RUNS} runs at a time, ${LOAD_MS / 1000} s`);
    const streams = await Promise.all(Array.from({ length: CLIENTS }, () => listen(service)));
    const over = new AbortController();
    const known: string[] = [first];
    const busy = Promise.all(Array.from({ length: RUNS }, () => keepRunning(service, known, over.signal)));
    const times = reads(service, known, READS_PER_S, (READS_PER_S * LOAD_MS) / 1000);
    await sleep(WARM_MS);
    const warm = await residentKb(service.pid);
    const loaded = await times;
    const end = await residentKb(service.pid);
    over.abort();
    await busy;
    const heard = streams.map((stream) => stream.close());
    note(`load: ${known.length} runs went through; each client heard ${Math.min(...heard)} events or more`);
    yield latency('load', 'one read, while 20 runs go on and 200 listen', loaded, floor);
    yield memory('load', 'service memory at the end, against 20 s in', 1, end, warm);
  } finally {
    up.kill('SIGINT');
    await exitOf(up);
    await rm(home, { recursive: true, force: true });
  }
}

async function serviceOf(home: string, up: ChildProcess): Promise<Service> {
  await untilUp(home, up, new AbortController().signal);
  const endpoint = await readEndpoint(home);
  if (!endpoint || up.pid === undefined) throw new Error('The service is not there.');
  return { ...endpoint, pid: up.pid };
}

/** Reads of every kind, so many a second, each timed. */
async function reads(
  service: Service,
  known: readonly string[],
  perS: number,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  const going: Promise<void>[] = [];
  const began = performance.now();
  for (let i = 0; i < count; i++) {
    const run = known[i % known.length] ?? '';
    const path = ['/factory-run', `/factory-run/${run}`, '/gate', '/template'][i % 4] ?? '';
    going.push(
      call(service, 'GET', path).then((ms) => {
        times.push(ms);
      }),
    );
    const due = began + ((i + 1) * 1000) / perS;
    await sleep(Math.max(0, due - performance.now()));
  }
  await Promise.all(going);
  return times;
}

async function call(service: Service, method: string, path: string, body?: unknown): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${service.url}/api/a360${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return performance.now() - began;
}

async function readJson(service: Service, path: string): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${service.key}` };
  const response = await fetch(`${service.url}/api/a360${path}`, { headers });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

let started = 0;
async function startRun(service: Service): Promise<string> {
  const text = await readFile(join(PACKAGE_ROOT, 'factories', 'walking.json'), 'utf8');
  const walking = JSON.parse(text) as { readonly blocks: readonly { readonly execution: object }[] };
  const blocks = walking.blocks.map((block) => ({
    ...block,
    execution: { ...block.execution, human_gate: 'none' },
  }));
  const template = { ...walking, blocks, human_gates: [] };
  const run = `load-${++started}`;
  await call(service, 'POST', '/factory-run', { template, parameters: { topic: 'railways' }, run_id: run });
  return run;
}

async function untilEnded(service: Service, run: string): Promise<void> {
  for (;;) {
    const { status } = await readJson(service, `/factory-run/${run}`);
    if (status === 'completed') return;
    if (status === 'failed' || status === 'cancelled') throw new Error(`${run}: ${status}`);
    await sleep(500);
  }
}

/** One run after another, with a breath in between as a skill that thinks would take it, until it is enough. */
async function keepRunning(service: Service, known: string[], enough: AbortSignal): Promise<void> {
  while (!enough.aborted) {
    const run = await startRun(service);
    known.push(run);
    await untilEnded(service, run);
    await sleep(BREATH_MS);
  }
}

/** A client of the stream of all runs; closing it says how many events it heard. */
async function listen({ url, key }: Service): Promise<{ close(): number }> {
  const stream = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    request(`${url}/api/a360/events`, { headers, agent: false }, resolve).on('error', reject).end();
  });
  if (stream.statusCode !== 200) throw new Error(`A stream was refused: ${stream.statusCode ?? 0}`);
  let [heard, closed] = [0, false];
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    heard += text.split('\nid:').length - 1;
  });
  stream.on('close', () => {
    if (!closed) throw new Error('A stream broke.');
  });
  return {
    close: () => {
      closed = true;
      stream.destroy();
      return heard;
    },
  };
}

/** What a process holds in memory. */
async function residentKb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
}
