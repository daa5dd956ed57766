/** A session's gate while it is held, and the witnesses that stand for it (locks, section 1.2). */
import { err, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { type SessionId } from '../model';
import { type AppendWitness } from '../ports';
import { type FileLock } from './file-system';
import { type SessionLog } from './session-log';

/** One use of a session's lock. Appends under it come one after the other, and all have ended before it is given back. */
export class Gate {
  private last: Promise<unknown> = Promise.resolve();
  private open = true;
  /** Whether anything was written under it. */
  appended = false;

  constructor(
    public log: SessionLog,
    /** Null: the session is not born yet, and has nothing to lock. */
    public lock: FileLock | null,
  ) {}

  /** Do something with files while the gate is open; refused, before anything is done, when it is not. */
  async while<T>(work: () => Promise<Result<T, RailyardError>>): Promise<Result<T, RailyardError>> {
    const mine = this.last.then(() => (this.open ? work() : err(noWitness())));
    this.last = mine.catch(() => undefined);
    return mine;
  }

  /** What the manifest has now is not known: nothing more is written under this gate. */
  fail(): void {
    this.open = false;
  }

  /** No more appends; those under way come to their end first. */
  async close(): Promise<void> {
    this.open = false;
    await this.last;
  }
}

/** The witnesses of one store. Nobody can make one: it is this object, or it is none. */
export class Witnesses {
  private readonly gates = new WeakMap<object, Gate>();

  mint(sessionId: SessionId, gate: Gate): AppendWitness {
    // The brand is a promise to the type checker; what counts is that this very object is in the map.
    const witness = Object.freeze({ sessionId }) as AppendWitness;
    this.gates.set(witness, gate);
    return witness;
  }

  /** The gate that a witness stands for; undefined: it stands for none, or for none any more. */
  gateOf(witness: AppendWitness): Gate | undefined {
    return this.gates.get(witness);
  }

  end(witness: AppendWitness): void {
    this.gates.delete(witness);
  }
}

export const noWitness = (): RailyardError =>
  problem('STORE_WITNESS_INVALID', 'The witness was not given by this store, or its gate has closed.');
