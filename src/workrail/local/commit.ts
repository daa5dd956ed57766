/**
 * The one way anything becomes truth (locks, section 1): segment and new snapshots to disk, side by side; then one write and
 * one sync of the manifest says that they are. Before that write there is nothing, after it everything.
 */
import { type DomainEvent, type ManifestRecord } from '../model';
import { type Batch, type Contents } from './batch';
import { type FileSystem, type OpenFile } from './file-system';
import { segmentName, type SessionFolder } from './layout';
import { linesOf, recordsOf } from './segment';
import { type SessionLog } from './session-log';

/** A batch that has at least one event. */
export interface Writable {
  readonly events: readonly [DomainEvent, ...DomainEvent[]];
  readonly snapshots: Batch['snapshots'];
}

/** What a commit writes, as bytes. */
interface Bytes {
  readonly name: string;
  readonly segment: Uint8Array;
  readonly records: readonly ManifestRecord[];
  readonly manifest: Uint8Array;
}

/** How an append that failed left the manifest. */
export type Aftermath = 'as_before' | 'unknown';

/** The system's error, and what it left. */
export class CommitFailure extends Error {
  constructor(
    cause: unknown,
    readonly aftermath: Aftermath,
  ) {
    super('An append failed.', { cause });
  }
}

/** Append to a session whose lock is held. Rejects with a CommitFailure. */
export async function commitBatch(
  fs: FileSystem,
  folder: SessionFolder,
  log: SessionLog,
  batch: Writable,
  { snapshots }: Contents,
): Promise<void> {
  const bytes = bytesOf(log, batch);
  try {
    await both(writeSegment(fs, folder, bytes), snapshots.keep(batch.snapshots));
  } catch (error) {
    // At most a segment that nothing attests: it is not read, and the next append may take its name.
    throw new CommitFailure(error, 'as_before');
  }
  await attest(fs, folder, log.manifestBytes, bytes.manifest);
  log.commit(bytes.records, batch.events, log.manifestBytes + bytes.manifest.length);
  log.durableBytes = log.manifestBytes;
}

/**
 * Write a session's first segment and manifest into a folder that nobody looks at yet, and make all of it durable. Answers
 * with what takes it into the log, once the folder has its name.
 */
export async function writeFirst(
  fs: FileSystem,
  folder: SessionFolder,
  log: SessionLog,
  batch: Writable,
  { snapshots }: Contents,
): Promise<() => void> {
  const bytes = bytesOf(log, batch);
  const files = async (): Promise<void> => {
    await both(
      writeFile(fs, folder.file(`events/${bytes.name}`), bytes.segment),
      writeFile(fs, folder.manifest(), bytes.manifest),
    );
    await both(fs.syncFolder(folder.events()), fs.syncFolder(folder.path));
  };
  await both(files(), snapshots.keep(batch.snapshots));
  return () => {
    log.commit(bytes.records, batch.events, bytes.manifest.length);
    log.durableBytes = log.manifestBytes;
  };
}

function bytesOf(log: SessionLog, { events }: Writable): Bytes {
  const segment = linesOf(events);
  const records = recordsOf(log.sessionId, log.recordCount, events, segment);
  const last = events.at(-1)?.eventIndex ?? events[0].eventIndex;
  return {
    name: segmentName({ first: events[0].eventIndex, last }),
    segment,
    records,
    manifest: linesOf(records),
  };
}

async function writeSegment(fs: FileSystem, folder: SessionFolder, { name, segment }: Bytes): Promise<void> {
  const path = folder.file(`events/${name}`);
  // The lock is held: whatever has this name is the rest of an append that failed.
  const temporary = `${path}.tmp`;
  await writeFile(fs, temporary, segment);
  fs.rename(temporary, path);
  await fs.syncFolder(folder.events());
}

async function writeFile(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const file = fs.create(path);
  try {
    file.write(bytes);
    await file.sync();
  } finally {
    file.close();
  }
}

async function attest(fs: FileSystem, folder: SessionFolder, size: number, bytes: Uint8Array): Promise<void> {
  let file: OpenFile;
  try {
    file = fs.append(folder.manifest());
  } catch (error) {
    throw new CommitFailure(error, 'as_before');
  }
  try {
    try {
      file.write(bytes);
      await file.sync();
    } catch (error) {
      throw new CommitFailure(error, await takeBack(file, size));
    }
  } finally {
    file.close();
  }
}

/** What was not acknowledged is cut off again; the lock is still held, and nobody else writes. */
async function takeBack(file: OpenFile, size: number): Promise<Aftermath> {
  try {
    file.truncate(size);
    await file.sync();
    return 'as_before';
  } catch {
    return 'unknown';
  }
}

/** Two things side by side; both have ended when this has, even where one failed. */
async function both(one: Promise<void>, two: Promise<void>): Promise<void> {
  for (const done of await Promise.allSettled([one, two])) if (done.status === 'rejected') throw done.reason;
}
