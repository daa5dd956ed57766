/**
 * Taking sessions away: `sessions/<id>/` gets a name that no session has, in one step and under the session's lock, and is
 * emptied then. Whatever of that a crash leaves is taken away the next time.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { err, ok, type Result } from 'neverthrow';
import { isMissing } from '../../errno';
import { problem, type RailyardError } from '../../errors';
import { parseJson } from '../../home';
import { readManifestRecord, type SessionId } from '../model';
import { type SessionShelf } from '../ports';

/** No session id begins with a dot. */
const GONE = '.gone-';

export class LocalSessionShelf implements SessionShelf {
  readonly #sessions: string;

  constructor(root: string) {
    this.#sessions = join(root, 'sessions');
  }

  touchedMs(sessionId: SessionId): Promise<Result<number, RailyardError>> {
    return guarded(sessionId, () => Promise.resolve(ok(statSync(this.#manifest(sessionId)).mtimeMs)));
  }

  remove(sessionId: SessionId, eventCount: number): Promise<Result<void, RailyardError>> {
    return guarded(sessionId, async () => {
      this.#sweep();
      const lock = await open(join(this.#sessions, sessionId, '.lock'), 'a');
      try {
        if (!tryLock(lock.fd)) {
          return err(problem('SESSION_LOCKED', `Another process is writing to the session ${sessionId}.`));
        }
        const events = eventsAttested(readFileSync(this.#manifest(sessionId), 'utf8'));
        if (events !== eventCount) {
          return err(problem('SESSION_EXISTS', `The session ${sessionId} has ${events} events by now.`));
        }
        const gone = join(this.#sessions, `${GONE}${randomUUID()}`);
        renameSync(join(this.#sessions, sessionId), gone);
        await syncFolder(this.#sessions);
        rmSync(gone, { recursive: true, force: true });
        return ok();
      } finally {
        await lock.close();
      }
    });
  }

  readonly #manifest = (sessionId: SessionId): string => join(this.#sessions, sessionId, 'manifest.jsonl');

  /** What earlier removals did not get to. */
  #sweep(): void {
    for (const name of readdirSync(this.#sessions)) {
      if (name.startsWith(GONE)) rmSync(join(this.#sessions, name), { recursive: true, force: true });
    }
  }
}

/** How many events a manifest attests; whether it may is for whoever loads the session. */
function eventsAttested(manifest: string): number {
  let events = 0;
  for (const line of manifest.split('\n')) {
    const record = line === '' ? null : readManifestRecord(parseJson(line));
    if (record?.isOk() && record.value.kind === 'segment_closed') events = record.value.lastEventIndex + 1;
  }
  return events;
}

async function syncFolder(path: string): Promise<void> {
  const folder: FileHandle = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function guarded<T>(
  sessionId: SessionId,
  work: () => Promise<Result<T, RailyardError>>,
): Promise<Result<T, RailyardError>> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error))
      return err(problem('SESSION_NOT_FOUND', `There is no session ${sessionId} in this store.`));
    const why = error instanceof Error ? error.message : String(error);
    return err(problem('STORE_IO', `The session ${sessionId} cannot be taken away: ${why}.`));
  }
}
