/** Sessions that were never born: folders whose writer ended before it gave them their name. */
import { join } from 'node:path';
import { isErrno } from '../../errno';
import { type FileSystem } from './file-system';
import { SessionFolder, STAGING_PREFIX, type Layout } from './layout';

/** A folder this young may be one whose writer has not come to its lock yet. */
const MIN_AGE_MS = 600_000;

/** Remove what is left of births that came to nothing. What cannot be removed is left for the next time. */
export function sweepStaging(fs: FileSystem, layout: Layout, nowMs: number): void {
  for (const folder of stagingFolders(fs, layout)) {
    const found = fs.stat(folder.path);
    if (!found || nowMs - Number(found.mtimeNs / 1_000_000n) < MIN_AGE_MS) continue;
    try {
      const lock = fs.lock(folder.lock(), 'existing');
      if (lock !== 'busy') fs.remove(folder.path);
      if (typeof lock !== 'string') lock.release();
    } catch (error) {
      if (!isErrno(error)) throw error;
    }
  }
}

/** Folders of sessions that are not born, by whoever is or was at it. */
export function stagingFolders(fs: FileSystem, layout: Layout): SessionFolder[] {
  return fs
    .list(layout.sessions())
    .filter((name) => name.startsWith(STAGING_PREFIX))
    .map((name) => new SessionFolder(join(layout.sessions(), name)));
}
