/** The session store on files: gate, append, birth. Reading is in `session-files`, writing in `commit`. */
import { randomUUID } from 'node:crypto';
import { err, ok, type Result } from 'neverthrow';
import { hasCode } from '../../errno';
import { type RailyardError } from '../../errors';
import { SessionId, type Appended, type AppendPlan } from '../model';
import {
  type AppendWitness,
  type Minting,
  type Session,
  type SessionPrefix,
  type SessionStore,
} from '../ports';
import { batchOf, type Batch, type Contents } from './batch';
import { commitBatch, CommitFailure, writeFirst, type Writable } from './commit';
import { growCache } from './disk-cache';
import { guarded, locked, nested, notFound, storeFailure, unhealthy } from './failure';
import { type FileLock, type FileSystem } from './file-system';
import { Gate, noWitness, Witnesses } from './gate';
import { type Layout } from './layout';
import { type AppendEnd, type StoreObserver } from './observer';
import { looksUnfinished, type Known, type SessionFiles } from './session-files';
import { holdLock, inTurn, readSettled } from './session-lock';
import { SessionLog } from './session-log';
import { sweepStaging } from './staging';

export interface StoreParts {
  readonly fs: FileSystem;
  readonly layout: Layout;
  readonly files: SessionFiles;
  readonly contents: Contents;
  readonly minting: Minting;
  readonly observer: StoreObserver | undefined;
}

export class LocalSessionStore implements SessionStore {
  private readonly witnesses = new Witnesses();
  /** Gates that are open in this process. */
  private readonly open = new Map<SessionId, Gate>();
  private swept = false;

  constructor(private readonly parts: StoreParts) {}

  list(): Promise<Result<readonly SessionId[], RailyardError>> {
    const { fs, layout } = this.parts;
    return guarded('listing sessions', () => {
      const ids = fs.list(layout.sessions()).flatMap((name) => SessionId.safeParse(name).data ?? []);
      return Promise.resolve(ok(ids.sort()));
    });
  }

  async load(sessionId: SessionId): Promise<Result<Session, RailyardError>> {
    const prefix = await this.loadValidatedPrefix(sessionId);
    return prefix.andThen((found) =>
      found.health === 'healthy' ? ok(found.session) : err(unhealthy(found)),
    );
  }

  loadValidatedPrefix(sessionId: SessionId): Promise<Result<SessionPrefix, RailyardError>> {
    return guarded('reading a session', async (): Promise<Result<SessionPrefix, RailyardError>> => {
      const gate = this.open.get(sessionId);
      // Our own gate: nobody else writes, and what it is writing is not truth before it is in the log.
      if (gate?.lock) return ok({ session: gate.log, health: 'healthy', reason: null });
      const found = await this.look(sessionId);
      return found.andThen((known) => (known === null ? err(notFound(sessionId)) : ok(known)));
    });
  }

  async withSession<T, E>(
    sessionId: SessionId,
    work: (session: Session, witness: AppendWitness) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | RailyardError>> {
    const done = await inTurn(this.parts.layout.session(sessionId), async () => {
      const entered = await guarded('locking a session', () => this.enter(sessionId));
      if (entered.isErr()) return err(entered.error);
      const gate = entered.value;
      const witness = this.witnesses.mint(sessionId, gate);
      this.open.set(sessionId, gate);
      try {
        return await work(gate.log, witness);
      } finally {
        this.witnesses.end(witness);
        await gate.close();
        this.leave(sessionId, gate);
      }
    });
    return done ?? err(nested(sessionId));
  }

  async append(
    witness: AppendWitness,
    plans: readonly AppendPlan[],
  ): Promise<Result<readonly Appended[], RailyardError>> {
    const gate = this.witnesses.gateOf(witness);
    if (!gate) return err(noWitness());
    const began = performance.now();
    const appended = await gate.while(() => guarded('appending', () => this.appendIn(gate, plans)));
    this.parts.observer?.appendEnded({ outcome: outcomeOf(appended), seconds: secondsSince(began) });
    return appended;
  }

  private async enter(sessionId: SessionId): Promise<Result<Gate, RailyardError>> {
    const { fs, layout, files } = this.parts;
    const folder = layout.session(sessionId);
    if (fs.stat(folder.path) === null) return ok(new Gate(new SessionLog(sessionId), null));
    const began = performance.now();
    const lock = await holdLock(fs, folder);
    const outcome = lock === null ? 'busy' : 'held';
    this.parts.observer?.lockAnswered({ outcome, seconds: secondsSince(began) });
    if (lock === null) return err(locked(sessionId));
    try {
      const known = files.refresh(sessionId);
      if (known?.health === 'healthy') return ok(new Gate(known.session, lock));
      lock.release();
      return err(known ? unhealthy(known) : notFound(sessionId));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private leave(sessionId: SessionId, gate: Gate): void {
    const { fs, layout } = this.parts;
    this.open.delete(sessionId);
    try {
      if (gate.lock && gate.appended) growCache(fs, layout.session(sessionId), gate.log);
    } finally {
      gate.lock?.release();
    }
  }

  private async look(sessionId: SessionId): Promise<Result<Known | null, RailyardError>> {
    const { fs, layout, files } = this.parts;
    const read = (): Known | null => files.refresh(sessionId);
    const found = await readSettled(fs, layout.session(sessionId), read, looksUnfinished);
    return found === null ? err(locked(sessionId)) : ok(found.value);
  }

  private async appendIn(
    gate: Gate,
    plans: readonly AppendPlan[],
  ): Promise<Result<readonly Appended[], RailyardError>> {
    const judged = batchOf(gate.log, plans, this.parts.contents, this.parts.minting.nowMs());
    if (judged.isErr()) return err(judged.error);
    const batch = judged.value;
    const writable = writableOf(batch);
    if (writable === null) return this.confirm(gate, batch);
    if (gate.lock === null) return this.giveBirth(gate, plans, batch, writable);
    return this.commit(gate, batch, writable);
  }

  /** All of it is there already; before saying so, make sure of what another process may have left unsynced. */
  private async confirm(gate: Gate, { answers }: Batch): Promise<Result<readonly Appended[], RailyardError>> {
    const { fs, layout } = this.parts;
    if (gate.lock && gate.log.durableBytes < gate.log.manifestBytes) {
      const manifest = fs.append(layout.session(gate.log.sessionId).manifest());
      try {
        await manifest.sync();
      } finally {
        manifest.close();
      }
      await fs.syncFolder(layout.sessions());
      gate.log.durableBytes = gate.log.manifestBytes;
    }
    return ok(answers);
  }

  private async commit(
    gate: Gate,
    batch: Batch,
    writable: Writable,
  ): Promise<Result<readonly Appended[], RailyardError>> {
    const { fs, layout, files, contents } = this.parts;
    const { sessionId } = gate.log;
    try {
      await commitBatch(fs, layout.session(sessionId), gate.log, writable, contents);
      files.adopt(gate.log);
      gate.appended = true;
      return ok(batch.answers);
    } catch (error) {
      if (!(error instanceof CommitFailure)) throw error;
      if (error.aftermath === 'unknown') return this.distrust(gate, error.cause);
      throw error.cause;
    }
  }

  /** Nobody knows what the manifest has now: from here on only the disk does. */
  private distrust(gate: Gate, cause: unknown): Result<never, RailyardError> {
    const { sessionId } = gate.log;
    this.parts.files.forget(sessionId);
    gate.fail();
    this.open.delete(sessionId);
    return err(storeFailure('attesting a segment', cause));
  }

  /**
   * A session comes into being whole: its folder is written under another name, and then renamed. Of two births of one
   * session the second finds the name taken, and appends to the first.
   */
  private async giveBirth(
    gate: Gate,
    plans: readonly AppendPlan[],
    batch: Batch,
    writable: Writable,
  ): Promise<Result<readonly Appended[], RailyardError>> {
    const { fs, layout, files, contents, minting } = this.parts;
    const { sessionId } = gate.log;
    if (!this.swept) sweepStaging(fs, layout, minting.nowMs());
    this.swept = true;
    const staging = layout.staging(randomUUID());
    let lock: FileLock | null = null;
    try {
      fs.makeFolder(staging.events());
      lock = heldNew(fs.lock(staging.lock()));
      const take = await writeFirst(fs, staging, gate.log, writable, contents);
      fs.rename(staging.path, layout.session(sessionId).path);
      await fs.syncFolder(layout.sessions());
      take();
    } catch (error) {
      lock?.release();
      fs.remove(staging.path);
      if (hasCode(error, 'EEXIST', 'ENOTEMPTY')) return this.joinBorn(gate, plans);
      throw error;
    }
    files.adopt(gate.log);
    gate.lock = lock;
    gate.appended = true;
    return ok(batch.answers);
  }

  private async joinBorn(
    gate: Gate,
    plans: readonly AppendPlan[],
  ): Promise<Result<readonly Appended[], RailyardError>> {
    const entered = await this.enter(gate.log.sessionId);
    if (entered.isErr()) return err(entered.error);
    gate.log = entered.value.log;
    gate.lock = entered.value.lock;
    return this.appendIn(gate, plans);
  }
}

const secondsSince = (began: number): number => (performance.now() - began) / 1000;

function outcomeOf(appended: Result<readonly Appended[], RailyardError>): AppendEnd['outcome'] {
  if (appended.isErr()) return 'refused';
  return appended.value.some(({ kind }) => kind === 'appended') ? 'written' : 'known';
}

function writableOf({ events: [first, ...rest], snapshots }: Batch): Writable | null {
  return first ? { events: [first, ...rest], snapshots } : null;
}

/** A file that was made a moment ago, under a random name, is locked by nobody. */
function heldNew(lock: FileLock | 'busy' | 'missing'): FileLock {
  if (typeof lock === 'string') throw new Error('A new lock file is held by somebody else.');
  return lock;
}
