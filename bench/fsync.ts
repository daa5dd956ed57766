/**
 * The floor of the store: the append that the locks prescribe, by hand and without anything around it. One segment of
 * four events goes to a temporary file (fsync), is renamed into place (fsync of the folder) and attested by a line in
 * the manifest (fsync).
 */
import { createHash } from 'node:crypto';
import { mkdtemp, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latency, timed, type Line } from './report';

const APPENDS = 300;
const WARM_UP = 20;
const EVENTS = 4;

export async function* fsyncBench(note: (text: string) => void): AsyncGenerator<Line> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-bench-fsync-'));
  try {
    const floor = await FsyncFloor.open(folder);
    note(`fsync: ${APPENDS} appends in ${folder}`);
    const times: number[] = [];
    for (let n = -WARM_UP; n < APPENDS; n += 1) {
      const took = await timed(() => floor.append());
      if (n >= 0) times.push(took);
    }
    await floor.close();
    yield latency('fsync', 'append', times, times);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A hand-written session: no validation, no lock, no reading. Other benchmarks alternate with it. */
export class FsyncFloor {
  private next = 0;

  private constructor(
    private readonly folder: string,
    private readonly events: FileHandle,
    private readonly manifest: FileHandle,
  ) {}

  static async open(root: string): Promise<FsyncFloor> {
    await mkdir(join(root, 'events'), { recursive: true });
    return new FsyncFloor(
      join(root, 'events'),
      await open(join(root, 'events'), 'r'),
      await open(join(root, 'manifest.jsonl'), 'a'),
    );
  }

  async append(): Promise<void> {
    const first = this.next;
    this.next += EVENTS;
    const lines = Array.from({ length: EVENTS }, (_, at) => JSON.stringify(eventOf(first + at)));
    const segment = Buffer.from(`${lines.join('\n')}\n`);
    const name = `${pad(first)}-${pad(this.next - 1)}.jsonl`;
    const temporary = join(this.folder, `${name}.tmp`);
    const file = await open(temporary, 'wx');
    await file.write(segment);
    await file.sync();
    await file.close();
    await rename(temporary, join(this.folder, name));
    await this.events.sync();
    const attested = {
      v: 1,
      manifestIndex: first / EVENTS,
      sessionId: 'sess_floor',
      kind: 'segment_closed',
      firstEventIndex: first,
      lastEventIndex: this.next - 1,
      segmentRelPath: `events/${name}`,
      sha256: `sha256:${createHash('sha256').update(segment).digest('hex')}`,
      bytes: segment.length,
    };
    await this.manifest.write(`${JSON.stringify(attested)}\n`);
    await this.manifest.sync();
  }

  /** The same with a small file of its own before it: five syncs, one after the other. */
  async appendWithFile(): Promise<void> {
    const path = join(this.folder, `snapshot-${this.next}`);
    const file = await open(`${path}.tmp`, 'wx');
    await file.write(JSON.stringify(eventOf(this.next)));
    await file.sync();
    await file.close();
    await rename(`${path}.tmp`, path);
    await this.events.sync();
    await this.append();
  }

  async close(): Promise<void> {
    await this.events.close();
    await this.manifest.close();
  }
}

const pad = (index: number): string => String(index).padStart(8, '0');

/** About as large as an event that records an advance. */
const eventOf = (index: number): object => ({
  v: 1,
  eventId: `evt_floor_${index}`,
  eventIndex: index,
  sessionId: 'sess_floor',
  kind: 'advance_recorded',
  dedupeKey: `advance_recorded:sess_floor:node_${index}:attempt_1`,
  scope: { runId: 'run_floor', nodeId: `node_${index}` },
  data: {
    attemptId: `attempt_${index}`,
    intent: 'ack_pending',
    outcome: { kind: 'advanced', toNodeId: `node_${index + 1}` },
  },
});
