/**
 * Reading sessions. What this process has validated once it does not read again: a look at the manifest's size says whether
 * anything came, and then only that is read. Everything here is synchronous, so that nobody sees a log half grown.
 */
import { type SessionHealth, type SessionId } from '../model';
import { type CorruptionReason, type SessionPrefix } from '../ports';
import { chunkNames, useCache, type CacheMode } from './disk-cache';
import { type FileStat, type FileSystem } from './file-system';
import { segmentBounds, type Layout, type SessionFolder } from './layout';
import { LogCache } from './log-cache';
import { walkManifest } from './manifest-walk';
import { SessionLog } from './session-log';

/** What is known of a session, and of the manifest when it was last looked at. */
export interface Known extends SessionPrefix {
  readonly session: SessionLog;
  readonly manifest: { readonly ino: number; readonly size: number } | null;
}

export class SessionFiles {
  private readonly known: LogCache<Known>;

  constructor(
    private readonly fs: FileSystem,
    private readonly layout: Layout,
    maxEvents: number,
  ) {
    this.known = new LogCache(maxEvents, ({ session }) => session.eventCount);
  }

  /** Read every byte of a session, remembering nothing but how much this process knew. */
  readAll(sessionId: SessionId): Known {
    return this.readAnew(sessionId, this.known.get(sessionId)?.session.manifestBytes, 'look');
  }

  /** What there is now; null: no such session. */
  refresh(sessionId: SessionId): Known | null {
    const before = this.known.get(sessionId);
    const folder = this.layout.session(sessionId);
    const manifest = this.fs.stat(folder.manifest());
    if (manifest === null && this.fs.stat(folder.path) === null) {
      this.known.delete(sessionId);
      return null;
    }
    const now = before ? this.update(before, folder, manifest) : this.readAnew(sessionId);
    if (now !== before) this.known.set(sessionId, now);
    return now;
  }

  /** Validate all of a session from its files; only looking at its disk cache where every byte is to be read. */
  readAnew(sessionId: SessionId, knownBytes = 0, cache: CacheMode = 'take'): Known {
    const folder = this.layout.session(sessionId);
    const log = new SessionLog(sessionId);
    // In this order: whatever these listings show was there before the manifest is read.
    const segments = this.fs.list(folder.events());
    const chunks = chunkNames(this.fs, folder);
    const seen = this.fs.stat(folder.manifest());
    const bytes = this.fs.read(folder.manifest());
    if (bytes === null || seen === null) return known(log, null, MISSING);
    const manifest = { ino: seen.ino, size: bytes.length };
    if (bytes.length === 0) return known(log, manifest, EMPTY);
    const { manifestSeen } = useCache(this.fs, folder, log, chunks, bytes, cache);
    const fault = this.walk(log, folder, bytes.subarray(log.manifestBytes));
    const lost = Math.max(manifestSeen, knownBytes) > bytes.length || isCutShort(log, segments);
    // What looks like an unfinished append is not one where more was there already.
    return known(log, manifest, lost && isUnfinished(fault) ? TRUNCATED : fault);
  }

  /** Take over a log that this process wrote itself. */
  adopt(session: SessionLog): void {
    const manifest = this.fs.stat(this.layout.session(session.sessionId).manifest());
    this.known.set(session.sessionId, known(session, manifest, null));
  }

  /** Believe nothing that was known: the next look reads all. */
  forget(sessionId: SessionId): void {
    this.known.delete(sessionId);
  }

  private update(before: Known, folder: SessionFolder, manifest: FileStat | null): Known {
    const { session, manifest: seen } = before;
    if (seen && seen.ino === manifest?.ino) {
      if (seen.size === manifest.size) return before;
      if (seen.size < manifest.size && mayBeUnderWay(before)) return this.grow(session, folder);
    }
    return this.readAnew(session.sessionId, session.manifestBytes);
  }

  private grow(log: SessionLog, folder: SessionFolder): Known {
    const seen = this.fs.stat(folder.manifest());
    const tail = this.fs.read(folder.manifest(), log.manifestBytes);
    if (tail === null || seen === null) return known(log, null, MISSING);
    const manifest = { ino: seen.ino, size: log.manifestBytes + tail.length };
    return known(log, manifest, this.walk(log, folder, tail));
  }

  private walk(log: SessionLog, folder: SessionFolder, tail: Uint8Array): CorruptionReason | null {
    return walkManifest(log, tail, (path) => this.fs.read(folder.file(path)));
  }
}

/** Whether all that is wrong may be an append that is being written at this moment; nothing wrong is that too. */
export const mayBeUnderWay = ({ reason }: SessionPrefix): boolean => isUnfinished(reason);

/** Whether there is something wrong that may be an append under way. */
export const looksUnfinished = (known: SessionPrefix | null): boolean =>
  known?.health !== 'healthy' && known !== null && mayBeUnderWay(known);

const isUnfinished = (reason: CorruptionReason | null): boolean =>
  reason === null || reason.code === 'manifest_torn' || reason.code === 'pin_missing';

/**
 * One segment beyond the last attested one is an append that did not get to its end. One that begins after that cannot be:
 * it was written when the manifest had more than it has now.
 */
function isCutShort(log: SessionLog, names: readonly string[]): boolean {
  return names.some((name) => (segmentBounds(name)?.first ?? 0) > log.eventCount);
}

function known(session: SessionLog, manifest: Known['manifest'], reason: CorruptionReason | null): Known {
  return {
    session,
    reason,
    health: healthOf(session.eventCount, reason),
    manifest: manifest && { ino: manifest.ino, size: manifest.size },
  };
}

/** The health of a session that has so many valid events before what is wrong with it. */
export function healthOf(validEvents: number, reason: CorruptionReason | null): SessionHealth {
  if (reason === null) return 'healthy';
  if (reason.code === 'unknown_version') return 'unknown_version';
  return validEvents === 0 ? 'corrupt_head' : 'corrupt_tail';
}

const MISSING: CorruptionReason = { code: 'manifest_missing', message: 'the manifest is not there' };
const EMPTY: CorruptionReason = { code: 'manifest_empty', message: 'the manifest is empty' };
const TRUNCATED: CorruptionReason = {
  code: 'manifest_truncated',
  message: 'the manifest has lost records that it had',
};
