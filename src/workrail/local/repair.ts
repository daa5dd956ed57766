/**
 * Set an unfinished append aside, so that its session is healthy again (locks, section 10: nobody but a person asks for this).
 *
 * Only what a crash in the middle of an append leaves is repaired: a manifest that ends within a line, or with a segment that
 * is closed while pins are missing, and nothing after it. Nobody was told that such an append succeeded. Everything else
 * (a digest that differs, a lost file, records out of order, records that were there and are gone) is damage to acknowledged
 * truth: that is for a backup or a bundle, never for a guess.
 */
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { readManifestRecord, type SessionId } from '../model';
import { type CorruptionReason } from '../ports';
import { guarded, locked, nested, notFound, unhealthy } from './failure';
import { type FileSystem } from './file-system';
import { type Layout, type SessionFolder } from './layout';
import { parseLine, wholeLines } from './segment';
import { mayBeUnderWay, type Known, type SessionFiles } from './session-files';
import { holdLock, inTurn } from './session-lock';

/** What repair did. */
export type RepairReport =
  | { readonly kind: 'nothing_to_do' }
  | {
      readonly kind: 'repaired';
      readonly reason: CorruptionReason;
      /** Events that were and are valid. */
      readonly validEvents: number;
      /** Where the copies are, relative to the session. */
      readonly setAside: string;
      /** What was set aside: the end of the manifest, and the segment it closed, if it did. */
      readonly files: readonly string[];
    };

/** Copies of what repair takes out of a manifest. */
const TAIL_NAME = 'manifest-tail.jsonl';

export async function repairSession(
  fs: FileSystem,
  layout: Layout,
  files: SessionFiles,
  sessionId: SessionId,
): Promise<Result<RepairReport, RailyardError>> {
  const folder = layout.session(sessionId);
  const done = await inTurn(folder, () =>
    guarded('repairing a session', async () => {
      if (fs.stat(folder.path) === null) return err(notFound(sessionId));
      const lock = await holdLock(fs, folder);
      if (lock === null) return err(locked(sessionId));
      try {
        const found = files.readAnew(sessionId);
        if (found.reason === null) return ok<RepairReport>({ kind: 'nothing_to_do' });
        const tail = fs.read(folder.manifest(), found.session.manifestBytes) ?? new Uint8Array();
        if (!isUnfinishedAppend(found, tail)) return err(refusal(found));
        const report = await setAside(fs, folder, found, found.reason, tail);
        files.forget(sessionId);
        return ok<RepairReport>(report);
      } finally {
        lock.release();
      }
    }),
  );
  return done ?? err(nested(sessionId));
}

/** Whether all that follows the valid part is one append that nobody was told of. */
function isUnfinishedAppend(found: Known, tail: Uint8Array): boolean {
  if (found.session.eventCount === 0 || !mayBeUnderWay(found)) return false;
  return [...wholeLines(tail)].every(({ bytes }, i) => {
    const record = readManifestRecord(parseLine(bytes));
    return record.isErr() ? bytes.includes(0) : (record.value.kind === 'segment_closed') === (i === 0);
  });
}

function refusal(found: Known): RailyardError {
  return {
    ...unhealthy(found),
    suggestion:
      'This is no unfinished append: acknowledged events are damaged. Restore the session from a backup or a bundle; ' +
      'what is valid can still be read and exported.',
  };
}

async function setAside(
  fs: FileSystem,
  folder: SessionFolder,
  { session }: Known,
  reason: CorruptionReason,
  tail: Uint8Array,
): Promise<RepairReport> {
  const place = join(folder.setAside(), String(fs.list(folder.setAside()).length + 1));
  fs.makeFolder(place);
  const segment = segmentOf(tail);
  const bytes = segment === null ? null : fs.read(folder.file(segment));
  await writeSynced(fs, join(place, TAIL_NAME), tail);
  const copied = [TAIL_NAME];
  if (segment !== null && bytes !== null) {
    const name = segment.replace('events/', '');
    await writeSynced(fs, join(place, name), bytes);
    copied.push(name);
  }
  for (const path of [place, folder.setAside(), folder.path]) await fs.syncFolder(path);
  const valid = fs.read(folder.manifest(), 0, session.manifestBytes) ?? new Uint8Array();
  const temporary = `${folder.manifest()}.tmp`;
  await writeSynced(fs, temporary, valid);
  fs.rename(temporary, folder.manifest());
  await fs.syncFolder(folder.path);
  const setAsideAt = place.slice(folder.path.length + 1);
  return { kind: 'repaired', reason, validEvents: session.eventCount, setAside: setAsideAt, files: copied };
}

/** The segment that the tail closes; null: its attestation cannot be read. */
function segmentOf(tail: Uint8Array): string | null {
  for (const { bytes } of wholeLines(tail)) {
    const record = readManifestRecord(parseLine(bytes));
    if (record.isOk() && record.value.kind === 'segment_closed') return record.value.segmentRelPath;
  }
  return null;
}

async function writeSynced(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const file = fs.create(path);
  try {
    file.write(bytes);
    await file.sync();
  } finally {
    file.close();
  }
}
