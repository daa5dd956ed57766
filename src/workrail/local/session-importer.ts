/** Sessions that come from elsewhere: written whole into a folder that nobody looks at, then given their name. */
import { randomUUID } from 'node:crypto';
import { err, ok, type Result } from 'neverthrow';
import { hasCode } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { type AppendPlan, type SessionId } from '../model';
import { type SessionImporter } from '../ports';
import { batchOf } from './batch';
import { commitBatch, CommitFailure, writeFirst } from './commit';
import { guarded } from './failure';
import { type SessionFolder } from './layout';
import { SessionLog } from './session-log';
import { type StoreParts } from './session-store';

export class LocalSessionImporter implements SessionImporter {
  constructor(private readonly parts: StoreParts) {}

  importSession(sessionId: SessionId, plans: Iterable<AppendPlan>): Promise<Result<void, RailyardError>> {
    return guarded('importing a session', async () => {
      const { fs, layout } = this.parts;
      const folder = layout.session(sessionId);
      // Before anything is written; the rename below is what decides.
      if (fs.stat(folder.path) !== null) return err(taken(sessionId));
      const staging = layout.staging(randomUUID());
      fs.makeFolder(staging.events());
      // Held, so that nobody takes the folder for one whose writer is gone.
      const lock = fs.lock(staging.lock());
      try {
        const written = await this.write(sessionId, staging, plans);
        if (written.isErr()) return written;
        fs.rename(staging.path, folder.path);
        await fs.syncFolder(layout.sessions());
        return ok();
      } catch (error) {
        if (hasCode(error, 'EEXIST', 'ENOTEMPTY')) return err(taken(sessionId));
        throw error instanceof CommitFailure ? error.cause : error;
      } finally {
        if (typeof lock !== 'string') lock.release();
        // Gone already when it has its name.
        fs.remove(staging.path);
      }
    });
  }

  private async write(
    sessionId: SessionId,
    staging: SessionFolder,
    plans: Iterable<AppendPlan>,
  ): Promise<Result<void, RailyardError>> {
    const { fs, contents, minting } = this.parts;
    // The plans come from where all events are already: a second copy would double a long session.
    const log = new SessionLog(sessionId, 'places');
    for (const plan of plans) {
      const batch = batchOf(log, [plan], contents, minting.nowMs());
      if (batch.isErr()) return err(batch.error);
      const [first, ...rest] = batch.value.events;
      if (!first) continue;
      const writable = { events: [first, ...rest] as const, snapshots: batch.value.snapshots };
      if (log.eventCount > 0) await commitBatch(fs, staging, log, writable, contents);
      else (await writeFirst(fs, staging, log, writable, contents))();
    }
    return ok();
  }
}

const taken = (sessionId: SessionId): RailyardError =>
  problem('SESSION_EXISTS', `There is a session ${sessionId} in this store already.`, {
    details: { sessionId },
  });
