import { rmSync } from 'node:fs';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { readPidFile } from './pid-file';
import { isRunning, terminate } from './terminate';
import { type Say } from './ways';

/**
 * End a server that outlived its Railyard and its guard, so that no two write to one database. One whose Railyard
 * still runs is left alone.
 */
export async function reap(pidFile: string, say: Say): Promise<Result<undefined, RailyardError>> {
  const entry = readPidFile(pidFile);
  if (entry !== null && isRunning(entry.server)) {
    if (isRunning(entry.owner)) {
      const message = `Process ${entry.owner.pid} already runs a Temporal server on this data directory.`;
      return err(problem('HOME_IN_USE', message, { details: { pid: entry.owner.pid } }));
    }
    say(`Ending the Temporal server of an earlier Railyard (process ${entry.server.pid}).`);
    await terminate(entry.server);
  }
  rmSync(pidFile, { force: true });
  return ok(undefined);
}
