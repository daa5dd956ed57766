/** Export and import of a long session in MB/s, against stringifying, parsing and writing the same JSON at once. */
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exportBundle, importBundle } from '../src/workrail/bundle';
import { openWorkrailStore, systemMinting, type WorkrailStore } from '../src/workrail/local';
import { type SessionId } from '../src/workrail/model';
import { fill } from './filled';
import { median, throughput, timed, type Line } from './report';
import { unwrap } from './store-plans';

const EVENTS = 10_000;
const ROUNDS = 5;

export async function* bundleLines(root: string, note: (text: string) => void): AsyncGenerator<Line> {
  note(`store: export and import of ${EVENTS} events`);
  const sessionId = await fill(root, EVENTS);
  const store = unwrap(await openWorkrailStore({ root }));
  const [file, byHand] = [join(root, 'one.bundle'), join(root, 'by-hand.json')];
  await exportTo(store, sessionId, file);
  const megabytes = (await stat(file)).size / 1e6;
  const bundle: unknown = JSON.parse(await readFile(file, 'utf8'));
  const rates = {
    out: [] as number[],
    outFloor: [] as number[],
    in: [] as number[],
    inFloor: [] as number[],
  };
  const rate = async (work: () => Promise<void>): Promise<number> => (1000 * megabytes) / (await timed(work));
  for (let n = 0; n < ROUNDS; n += 1) {
    rates.outFloor.push(await rate(() => writeSynced(byHand, JSON.stringify(bundle))));
    rates.out.push(await rate(() => exportTo(store, sessionId, file)));
    rates.inFloor.push(
      await rate(async () => {
        const text = await readFile(file, 'utf8');
        await writeSynced(byHand, JSON.stringify(JSON.parse(text)));
      }),
    );
    rates.in.push(await rate(() => importFrom(store, file)));
  }
  yield throughput('store', 'export, MB/s', ROUNDS, median(rates.out), median(rates.outFloor));
  yield throughput('store', 'import, MB/s', ROUNDS, median(rates.in), median(rates.inFloor));
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function exportTo(store: WorkrailStore, sessionId: SessionId, path: string): Promise<void> {
  const prefix = unwrap(await store.sessions.loadValidatedPrefix(sessionId));
  const request = { prefix, producer: { appVersion: 'bench' }, exportedAtMs: Date.now() };
  const file = await open(path, 'w');
  try {
    const write = (text: string): Promise<void> => file.writeFile(text);
    unwrap(await exportBundle(store, { ...request, artifacts: 'left_out' }, write));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Each time as a session of its own: the id is taken. */
async function importFrom(store: WorkrailStore, path: string): Promise<void> {
  const source = (): AsyncIterable<Uint8Array> => createReadStream(path);
  const stores = { ...store, sessions: store.importer };
  const { events } = unwrap(await importBundle(stores, source, systemMinting));
  if (events !== EVENTS) throw new Error(`${events} events were imported instead of ${EVENTS}.`);
}
