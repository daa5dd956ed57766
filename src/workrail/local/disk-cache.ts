/**
 * Validated events of a session in files of about 512, so that a cold start opens a few files and not one for each append.
 * A chunk says which segments it was made of (by name, size, time and inode, as git's index does) and which bytes of the
 * manifest; where any of it differs, or the chunk itself is damaged, it is not used. Chunks are written after appends only,
 * never synced, never truth: safe to delete at any time (locks, section 10).
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '../../canonical';
import { isErrno } from '../../errno';
import { type DomainEvent, type ManifestRecord } from '../model';
import { type FileSystem } from './file-system';
import { boundsName, type Bounds, type SessionFolder } from './layout';
import { linesOf, parseLine, wholeLines } from './segment';
import { type LooseSegment, type SessionLog } from './session-log';

const CACHE_VERSION = 1;
/** A chunk ends with the first segment that brings it to so many events. */
const CHUNK_EVENTS = 512;
const CHUNK = /^(\d{8,})-(\d{8,})\.chunk\.jsonl$/;

const Header = z.object({
  v: z.literal(CACHE_VERSION),
  sessionId: z.string(),
  first: z.int(),
  last: z.int(),
  manifest: z.object({ from: z.int(), to: z.int(), sha256: z.string() }),
  segments: z.array(z.tuple([z.string(), z.int(), z.string(), z.int()])),
});
type Header = z.infer<typeof Header>;
type Fingerprint = Header['segments'][number];

/** What using the cache showed. */
export interface CacheUse {
  /** The most bytes of the manifest that any intact chunk has seen. */
  readonly manifestSeen: number;
}

/** Chunks as they are on the disk now; list them before the manifest is read, so that none has seen more than it. */
export function chunkNames(fs: FileSystem, folder: SessionFolder): Bounds[] {
  return fs
    .list(folder.cache())
    .map(chunkBounds)
    .filter((bounds) => bounds !== null)
    .sort((a, b) => a.first - b.first || a.last - b.last);
}

/** Whether chunks are taken into the log, or only asked how much they have seen. */
export type CacheMode = 'take' | 'look';

/** Fill an empty log from the chunks that still fit, in order, up to the first that does not. */
export function useCache(
  fs: FileSystem,
  folder: SessionFolder,
  log: SessionLog,
  chunks: readonly Bounds[],
  manifest: Uint8Array,
  mode: CacheMode,
): CacheUse {
  let manifestSeen = 0;
  for (const bounds of chunks) {
    const chunk = readChunk(fs.read(chunkPath(folder, bounds)));
    if (chunk?.header.sessionId !== log.sessionId) continue;
    manifestSeen = Math.max(manifestSeen, chunk.header.manifest.to);
    if (mode === 'take' && fits(fs, folder, log, chunk.header, manifest)) take(log, chunk, manifest);
  }
  return { manifestSeen };
}

/** Write the next chunk, if there is enough for one. A cache that cannot be written is none. */
export function growCache(fs: FileSystem, folder: SessionFolder, log: SessionLog): void {
  const segments = nextSegments(log);
  const last = segments.at(-1);
  if (last === undefined) return;
  const bounds = { first: log.cached.events, last: last.lastEvent };
  const path = chunkPath(folder, bounds);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const header = headerOf(fs, folder, log, bounds, segments);
    if (header === null) return;
    const body = linesOf([header, ...log.events(bounds.first).slice(0, bounds.last - bounds.first + 1)]);
    fs.makeFolder(folder.cache());
    const file = fs.create(temporary);
    try {
      file.write(Buffer.concat([body, Buffer.from(`${sha256Hex(body)}\n`)]));
    } finally {
      file.close();
    }
    for (const other of chunkNames(fs, folder)) {
      if (other.last >= bounds.first && other.first <= bounds.last) fs.remove(chunkPath(folder, other));
    }
    fs.rename(temporary, path);
    log.covered(bounds.last + 1, last.manifestEnd);
  } catch (error) {
    if (!isErrno(error)) throw error;
    discard(fs, temporary);
  }
}

function discard(fs: FileSystem, path: string): void {
  try {
    fs.remove(path);
  } catch (error) {
    if (!isErrno(error)) throw error;
  }
}

/** The segments of the next chunk; none: there is not enough yet. */
function nextSegments({ cached, loose }: SessionLog): LooseSegment[] {
  const end = loose.findIndex(({ lastEvent }) => lastEvent + 1 - cached.events >= CHUNK_EVENTS);
  return loose.slice(0, end + 1);
}

function headerOf(
  fs: FileSystem,
  folder: SessionFolder,
  log: SessionLog,
  { first, last }: Bounds,
  segments: readonly LooseSegment[],
): Header | null {
  const from = log.cached.manifestEnd;
  const to = segments.at(-1)?.manifestEnd ?? from;
  const bytes = fs.read(folder.manifest(), from, to - from);
  const prints = segments.map(({ path }) => fingerprint(fs, folder, path));
  if (bytes?.length !== to - from || prints.includes(null)) return null;
  return {
    v: CACHE_VERSION,
    sessionId: log.sessionId,
    first,
    last,
    manifest: { from, to, sha256: sha256Hex(bytes) },
    segments: prints.filter((print) => print !== null),
  };
}

function fingerprint(fs: FileSystem, folder: SessionFolder, path: string): Fingerprint | null {
  const found = fs.stat(folder.file(path));
  return found && [path, found.size, String(found.mtimeNs), found.ino];
}

interface Chunk {
  readonly header: Header;
  readonly events: readonly Uint8Array[];
}

/** A chunk that is whole: the digest at its end is that of everything before. */
function readChunk(bytes: Uint8Array | null): Chunk | null {
  if (bytes === null) return null;
  const lines = [...wholeLines(bytes)];
  const [header, digest] = [lines[0], lines.at(-1)];
  if (!header || digest?.end !== bytes.length) return null;
  const body = bytes.subarray(0, digest.end - digest.bytes.length - 1);
  if (sha256Hex(body) !== Buffer.from(digest.bytes).toString('latin1')) return null;
  const parsed = Header.safeParse(parseLine(header.bytes));
  return parsed.success
    ? { header: parsed.data, events: lines.slice(1, -1).map((line) => line.bytes) }
    : null;
}

function fits(
  fs: FileSystem,
  folder: SessionFolder,
  log: SessionLog,
  { first, manifest: covered, segments }: Header,
  manifest: Uint8Array,
): boolean {
  return (
    first === log.eventCount &&
    covered.from === log.manifestBytes &&
    covered.to <= manifest.length &&
    sha256Hex(manifest.subarray(covered.from, covered.to)) === covered.sha256 &&
    segments.every((known) => String(fingerprint(fs, folder, known[0])) === String(known))
  );
}

function take(log: SessionLog, { header, events }: Chunk, manifest: Uint8Array): void {
  const { from, to } = header.manifest;
  // Both were validated when the chunk was written, and the digests say that they are the same bytes.
  const records = [...wholeLines(manifest.subarray(from, to))].map(
    ({ bytes }) => parseLine(bytes) as ManifestRecord,
  );
  log.commit(
    records,
    events.map((bytes) => parseLine(bytes) as DomainEvent),
    to,
  );
  log.covered(header.last + 1, to);
}

const chunkPath = (folder: SessionFolder, bounds: Bounds): string =>
  join(folder.cache(), `${boundsName(bounds)}.chunk.jsonl`);

function chunkBounds(name: string): Bounds | null {
  const [, first, last] = CHUNK.exec(name) ?? [];
  return first === undefined || last === undefined ? null : { first: Number(first), last: Number(last) };
}
