import { describe, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Digest } from '../../../src/canonical';
import { type WorkrailStore } from '../../../src/workrail/local';
import { temporary } from '../../sandbox/places';
import { CrashFileSystem } from './crash-file-system';
import {
  advance,
  append,
  artifact,
  bornStore,
  codeOf,
  HASH,
  note,
  openStore,
  refOf,
  SESSION,
  snapshot,
  unwrap,
} from './fixtures';

/** The files of a session of four segments: events 0–2, 3, 4–6, 7; node 1 is in the third. */
class Damage {
  readonly folder: string;
  constructor(readonly root: string) {
    this.folder = join(root, 'sessions', SESSION);
  }

  readonly manifest = (): string => join(this.folder, 'manifest.jsonl');
  readonly segment = (bounds: string): string => join(this.folder, 'events', `${bounds}.jsonl`);
  readonly content = (folder: string, ref: string): string => join(this.root, folder, `${ref.slice(7)}.json`);

  flip(path: string, at = 20): void {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  }

  cut(path: string, bytes: number): void {
    truncateSync(path, readFileSync(path).length - bytes);
  }

  lines(change: (lines: string[]) => string[]): void {
    const lines = readFileSync(this.manifest(), 'utf8').trimEnd().split('\n');
    writeFileSync(
      this.manifest(),
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }

  /** Change a record of the manifest, as somebody would who knows its format. */
  record(index: number, change: (record: Record<string, unknown>) => object): void {
    this.lines((lines) =>
      lines.map((line, i) =>
        i === index ? JSON.stringify(change(JSON.parse(line) as Record<string, unknown>)) : line,
      ),
    );
  }

  /** Write another text into a segment, with an attestation that fits. */
  forge(bounds: string, index: number, change: (text: string) => string): void {
    const text = change(readFileSync(this.segment(bounds), 'utf8'));
    writeFileSync(this.segment(bounds), text);
    this.record(index, (record) => ({
      ...record,
      sha256: sha256Digest(text),
      bytes: Buffer.byteLength(text),
    }));
  }
}

async function damaged(harm: (damage: Damage) => void): Promise<WorkrailStore> {
  const root = temporary();
  const store = await bornStore({ root });
  for (const plan of [note(1), advance(1), note(2)]) unwrap(await append(store, [plan]));
  // Records: 0 closed, 1 pin of event 2, 2 closed, 3 closed, 4 pin of event 5, 5 closed.
  harm(new Damage(root));
  return openStore({ root });
}

type Case = readonly [what: string, harm: (d: Damage) => void, health: string, code: string, events: number];

const LOG: readonly Case[] = [
  ['the manifest is gone', (d) => rmSync(d.manifest()), 'corrupt_head', 'manifest_missing', 0],
  ['the manifest is empty', (d) => truncateSync(d.manifest(), 0), 'corrupt_head', 'manifest_empty', 0],
  ['the manifest ends in a line', (d) => d.cut(d.manifest(), 5), 'corrupt_tail', 'manifest_torn', 7],
  ['its end was never written', (d) => d.lines((l) => [...l, '\0\0\0']), 'corrupt_tail', 'manifest_torn', 8],
  [
    'a byte of its first line differs',
    (d) => d.flip(d.manifest(), 1),
    'corrupt_head',
    'manifest_line_invalid',
    0,
  ],
  [
    'a line is no JSON',
    (d) => d.lines((l) => l.map((line, i) => (i === 2 ? line.slice(1) : line))),
    'corrupt_tail',
    'manifest_line_invalid',
    3,
  ],
  [
    'a record is another session’s',
    (d) => d.record(5, (r) => ({ ...r, sessionId: 'sess_other' })),
    'corrupt_tail',
    'manifest_line_invalid',
    7,
  ],
  [
    'a record is gone',
    (d) => d.lines((l) => l.filter((_, i) => i !== 2)),
    'corrupt_tail',
    'manifest_order_invalid',
    3,
  ],
  [
    'two records are swapped',
    (d) => d.lines(([a = '', b = '', c = '', e = '', ...rest]) => [a, b, e, c, ...rest]),
    'corrupt_tail',
    'manifest_order_invalid',
    3,
  ],
  [
    'two segments’ records are gone',
    (d) => d.lines((l) => l.slice(0, 2)),
    'corrupt_tail',
    'manifest_truncated',
    3,
  ],
  [
    'a record is of the future',
    (d) => d.record(5, (r) => ({ ...r, v: 2 })),
    'unknown_version',
    'unknown_version',
    7,
  ],
  [
    'a byte of a segment differs',
    (d) => d.flip(d.segment('00000003-00000003')),
    'corrupt_tail',
    'segment_digest_mismatch',
    3,
  ],
  [
    'the first segment differs',
    (d) => d.flip(d.segment('00000000-00000002')),
    'corrupt_head',
    'segment_digest_mismatch',
    0,
  ],
  [
    'a segment is cut',
    (d) => d.cut(d.segment('00000004-00000006'), 1),
    'corrupt_tail',
    'segment_digest_mismatch',
    4,
  ],
  [
    'a segment is empty',
    (d) => truncateSync(d.segment('00000007-00000007'), 0),
    'corrupt_tail',
    'segment_digest_mismatch',
    7,
  ],
  ['a segment is gone', (d) => rmSync(d.segment('00000007-00000007')), 'corrupt_tail', 'segment_missing', 7],
  [
    'a segment is a folder',
    (d) => {
      rmSync(d.segment('00000007-00000007'));
      mkdirSync(d.segment('00000007-00000007'));
    },
    'corrupt_tail',
    'segment_missing',
    7,
  ],
  [
    'a segment begins elsewhere than its record says',
    (d) => d.record(5, (r) => ({ ...r, firstEventIndex: 6 })),
    'corrupt_tail',
    'segment_bounds_invalid',
    7,
  ],
  [
    'a segment has fewer events than attested',
    (d) => d.forge('00000004-00000006', 3, (t) => `${t.split('\n').slice(0, 2).join('\n')}\n`),
    'corrupt_tail',
    'segment_bounds_invalid',
    4,
  ],
  [
    'an event has another place',
    (d) => d.forge('00000007-00000007', 5, (t) => t.replace('"eventIndex":7', '"eventIndex":8')),
    'corrupt_tail',
    'event_order_invalid',
    7,
  ],
  [
    'an event is of no known kind',
    (d) => d.forge('00000007-00000007', 5, (t) => t.replace('node_output_appended', 'node_output_replaced')),
    'corrupt_tail',
    'event_invalid',
    7,
  ],
  [
    'an event is of the future',
    (d) => d.forge('00000007-00000007', 5, (t) => t.replace('"v":1', '"v":2')),
    'unknown_version',
    'unknown_version',
    7,
  ],
  [
    'pins are missing at the end',
    (d) => {
      d.lines((l) => l.slice(0, 4));
      rmSync(d.segment('00000007-00000007'));
    },
    'corrupt_tail',
    'pin_missing',
    4,
  ],
  [
    'pins and the records after them are gone',
    (d) => d.lines((l) => l.slice(0, 4)),
    'corrupt_tail',
    'manifest_truncated',
    4,
  ],
  [
    'a pin is missing in the middle',
    (d) =>
      d.lines(([a = '', b = '', c = '', e = '', , f = '']) => [
        a,
        b,
        c,
        e,
        f.replace('"manifestIndex":5', '"manifestIndex":4'),
      ]),
    'corrupt_tail',
    'manifest_truncated',
    4,
  ],
  [
    'a pin is of another snapshot',
    (d) => d.record(4, (r) => ({ ...r, snapshotRef: refOf(snapshot(0)) })),
    'corrupt_tail',
    'pin_invalid',
    4,
  ],
];

describe('a session of which', () => {
  it.each(LOG)('%s: has the prescribed health', async (_, harm, health, code, events) => {
    const store = await damaged(harm);
    const prefix = unwrap(await store.sessions.loadValidatedPrefix(SESSION));
    expect([prefix.health, prefix.reason?.code, prefix.session.eventCount]).toEqual([health, code, events]);
  });

  it.each(LOG)(
    '[execution-gated-by-health] [salvage-read-only] %s: is refused to whoever goes on',
    async (_, harm, health) => {
      const store = await damaged(harm);
      const code = health === 'unknown_version' ? 'SESSION_UNKNOWN_VERSION' : 'SESSION_CORRUPT';
      expect(codeOf(await store.sessions.load(SESSION))).toBe(code);
      expect(codeOf(await append(store, [note(9)]))).toBe(code);
    },
  );

  it.each(LOG)(
    '%s: is repaired only where an append was unfinished',
    async (_, harm, health, code, events) => {
      const store = await damaged(harm);
      const tail = new Set(['manifest_torn', 'pin_missing']);
      const repaired = await store.repair(SESSION);
      if (tail.has(code)) {
        expect(unwrap(repaired)).toMatchObject({ kind: 'repaired', validEvents: events });
        expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(events);
      } else {
        const refused = health === 'unknown_version' ? 'SESSION_UNKNOWN_VERSION' : 'SESSION_CORRUPT';
        expect(codeOf(repaired)).toBe(refused);
      }
    },
  );
});

/** What can happen to each part that the locks name, however it happens. */
const [FIRST, LAST] = ['00000003-00000003', '00000007-00000007'];
const swapped = (one: string, two: string): void => {
  const bytes = readFileSync(one);
  writeFileSync(one, readFileSync(two));
  writeFileSync(two, bytes);
};
const changeLine = (d: Damage, index: number, change: (line: string) => string): void =>
  d.lines((lines) => lines.map((line, i) => (i === index ? change(line) : line)));
const swapLines = (d: Damage, one: number, two: number): void =>
  d.lines((lines) => lines.map((line, i) => lines[i === one ? two : i === two ? one : i] ?? line));
const snapshotFile = (d: Damage, n: number): string => d.content('snapshots', refOf(snapshot(n)));
const flipChar = (line: string): string => `${line.slice(0, 30)}\u0001${line.slice(31)}`;

const PARTS: readonly Case[] = [
  ['a segment: flipped', (d) => d.flip(d.segment(FIRST)), 'corrupt_tail', 'segment_digest_mismatch', 3],
  ['a segment: deleted', (d) => rmSync(d.segment(FIRST)), 'corrupt_tail', 'segment_missing', 3],
  ['a segment: truncated', (d) => d.cut(d.segment(FIRST), 9), 'corrupt_tail', 'segment_digest_mismatch', 3],
  [
    'a segment: swapped',
    (d) => swapped(d.segment(FIRST), d.segment(LAST)),
    'corrupt_tail',
    'segment_digest_mismatch',
    3,
  ],
  ['a line: flipped', (d) => changeLine(d, 3, flipChar), 'corrupt_tail', 'manifest_line_invalid', 4],
  [
    'a line: deleted',
    (d) => d.lines((l) => l.filter((_, i) => i !== 3)),
    'corrupt_tail',
    'manifest_order_invalid',
    4,
  ],
  [
    'a line: truncated',
    (d) => changeLine(d, 3, (l) => l.slice(0, 40)),
    'corrupt_tail',
    'manifest_line_invalid',
    4,
  ],
  ['a line: swapped', (d) => swapLines(d, 3, 5), 'corrupt_tail', 'manifest_order_invalid', 4],
  ['a pin: flipped', (d) => changeLine(d, 4, flipChar), 'corrupt_tail', 'manifest_line_invalid', 4],
  [
    'a pin: deleted',
    (d) => d.lines((l) => l.filter((_, i) => i !== 4)),
    'corrupt_tail',
    'manifest_order_invalid',
    4,
  ],
  [
    'a pin: truncated',
    (d) => changeLine(d, 4, (l) => l.slice(0, 40)),
    'corrupt_tail',
    'manifest_line_invalid',
    4,
  ],
  ['a pin: swapped', (d) => swapLines(d, 1, 4), 'corrupt_head', 'manifest_order_invalid', 0],
  ['a snapshot: flipped', (d) => d.flip(snapshotFile(d, 1)), 'corrupt_tail', 'snapshot_corrupt', 4],
  ['a snapshot: deleted', (d) => rmSync(snapshotFile(d, 1)), 'corrupt_tail', 'snapshot_missing', 4],
  ['a snapshot: truncated', (d) => d.cut(snapshotFile(d, 1), 1), 'corrupt_tail', 'snapshot_corrupt', 4],
  [
    'a snapshot: swapped',
    (d) => swapped(snapshotFile(d, 0), snapshotFile(d, 1)),
    'corrupt_head',
    'snapshot_corrupt',
    0,
  ],
];

describe('the check of a session finds', () => {
  it.each(PARTS)('%s', async (_, harm, health, code, events) => {
    const check = unwrap(await (await damaged(harm)).checkSession(SESSION));
    expect([check.health, check.reason?.code, check.validEvents]).toEqual([health, code, events]);
  });
});

describe('a single bit of the manifest or of a segment', () => {
  it('that is another one is never taken for health', async () => {
    const fs = new CrashFileSystem();
    const root = '/data';
    const store = await bornStore({ root, fs });
    for (const plan of [note(1), advance(1)]) unwrap(await append(store, [plan]));
    const folder = `${root}/sessions/${SESSION}`;
    const paths = ['manifest.jsonl', ...fs.list(`${folder}/events`).map((name) => `events/${name}`)];
    const taken: string[] = [];
    for (const path of paths) {
      const whole = Buffer.from(fs.read(`${folder}/${path}`) ?? []);
      for (let at = 0; at < whole.length; at += 1) {
        const other = Buffer.from(whole);
        other[at] = (whole[at] ?? 0) ^ (1 << (at % 8));
        fs.create(`${folder}/${path}`).write(other);
        const fresh = await openStore({ root, fs });
        const { health } = unwrap(await fresh.sessions.loadValidatedPrefix(SESSION));
        if (health === 'healthy') taken.push(`${path} at ${at}`);
      }
      fs.create(`${folder}/${path}`).write(whole);
    }
    expect(taken).toEqual([]);
    expect(codeOf(await (await openStore({ root, fs })).sessions.load(SESSION))).toBe('ok');
  });
});

describe('a version of the future', () => {
  const future = LOG.filter(([, , health]) => health === 'unknown_version');

  it.each(future)(
    '[schema-unknown-version-fail-fast] ends what is read: %s',
    async (_, harm, health, code, events) => {
      const prefix = unwrap(await (await damaged(harm)).sessions.loadValidatedPrefix(SESSION));
      expect([prefix.health, prefix.reason?.code, prefix.session.eventCount]).toEqual([health, code, events]);
    },
  );
});

describe('content of which', () => {
  const pinned = 'workflows/pinned';
  const CONTENT: readonly Case[] = [
    [
      'a snapshot is gone',
      (d) => rmSync(d.content('snapshots', refOf(snapshot(1)))),
      'corrupt_tail',
      'snapshot_missing',
      4,
    ],
    [
      'a snapshot differs',
      (d) => d.flip(d.content('snapshots', refOf(snapshot(1)))),
      'corrupt_tail',
      'snapshot_corrupt',
      4,
    ],
    [
      'a snapshot is empty',
      (d) => truncateSync(d.content('snapshots', refOf(snapshot(0))), 0),
      'corrupt_head',
      'snapshot_corrupt',
      0,
    ],
    ['the workflow is gone', (d) => rmSync(d.content(pinned, HASH)), 'corrupt_head', 'workflow_missing', 0],
    ['the workflow differs', (d) => d.flip(d.content(pinned, HASH)), 'corrupt_head', 'workflow_corrupt', 0],
  ];

  it.each(CONTENT)('%s: fails the check of its session', async (_, harm, health, code, events) => {
    const check = unwrap(await (await damaged(harm)).checkSession(SESSION));
    expect([check.health, check.reason?.code, check.validEvents]).toEqual([health, code, events]);
  });

  it('[snapshot-content-addressed] differs is refused when it is read', async () => {
    const store = await damaged((d) => {
      d.flip(d.content('snapshots', refOf(snapshot(1))));
      rmSync(d.content(pinned, HASH));
    });
    expect(codeOf(await store.snapshots.get(refOf(snapshot(1))))).toBe('STORE_SNAPSHOT_CORRUPT');
    expect(codeOf(await store.workflows.get(HASH))).toBe('STORE_WORKFLOW_MISSING');
    expect(codeOf(await store.snapshots.get(refOf(snapshot(0))))).toBe('ok');
  });

  it('is gone is refused when it is read', async () => {
    const store = await damaged((d) => {
      rmSync(d.content('snapshots', refOf(snapshot(1))));
      d.flip(d.content(pinned, HASH));
    });
    expect(codeOf(await store.snapshots.get(refOf(snapshot(1))))).toBe('STORE_SNAPSHOT_MISSING');
    expect(codeOf(await store.workflows.get(HASH))).toBe('STORE_WORKFLOW_CORRUPT');
  });
});

describe('an orphan segment', () => {
  it('[orphan-segment-ignored] is not read, and its place is taken by the next append', async () => {
    const text = 'not even an event\n';
    const store = await damaged((d) => writeFileSync(d.segment('00000008-00000008'), text));
    expect(unwrap(await store.sessions.load(SESSION)).eventCount).toBe(8);
    expect(unwrap(await store.checkSession(SESSION)).orphans).toEqual(['events/00000008-00000008.jsonl']);
    unwrap(await append(store, [note(3)]));
    expect(unwrap(await store.checkSession(SESSION))).toMatchObject({
      health: 'healthy',
      validEvents: 9,
      orphans: [],
    });
  });
});

describe('a segment after the damage', () => {
  it.each(LOG)('is not called an orphan where %s', async (_, harm) => {
    expect(unwrap(await (await damaged(harm)).checkSession(SESSION)).orphans).toEqual([]);
  });
});

describe('a repair', () => {
  it('[crash-state-detection] keeps a copy of the segment that was closed without its pins', async () => {
    let folder = '';
    const store = await damaged((d) => {
      folder = d.folder;
      d.lines((lines) => lines.slice(0, 4));
      rmSync(d.segment('00000007-00000007'));
    });
    const report = unwrap(await store.repair(SESSION));
    expect(report).toMatchObject({ files: ['manifest-tail.jsonl', '00000004-00000006.jsonl'] });
    expect(readdirSync(join(folder, 'set-aside', '1')).sort()).toEqual([
      '00000004-00000006.jsonl',
      'manifest-tail.jsonl',
    ]);
    expect(unwrap(await store.repair(SESSION))).toEqual({ kind: 'nothing_to_do' });
    expect(unwrap(await append(store, [advance(1)]))[0]?.kind).toBe('appended');
  });
});

describe('the check of a session', () => {
  it('names artifacts that outputs refer to and that are not there', async () => {
    const root = temporary();
    const store = await bornStore({ root });
    const there = unwrap(await store.artifacts.put(Buffer.from('there')));
    unwrap(await append(store, [artifact('a', there, 5), artifact('b', HASH, 5), artifact('c', there, 6)]));
    const check = unwrap(await store.checkSession(SESSION));
    expect([check.health, check.missingArtifacts]).toEqual(['healthy', [HASH, there]]);
  });
});

describe('the check of a store', () => {
  it('names what nothing refers to and what was never born', async () => {
    const store = await damaged((d) => mkdirSync(join(d.root, 'sessions', '.new-1234')));
    const stray = unwrap(await store.snapshots.put(snapshot(99)));
    const check = unwrap(await store.checkStore());
    expect(check.unreferenced).toEqual({ snapshots: [stray], workflows: [] });
    expect([check.unborn, check.sessions.map(({ health }) => health)]).toEqual([1, ['healthy']]);
  });
});
