/**
 * JSON by content address: a file for each value, named by the digest of its canonical text, which is its content. It is
 * there whole or not at all, shared by all sessions, never changed, and hashed again whenever it is read.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { canonicalJson, sha256Digest } from '../../canonical';
import { problem, type ErrorCode, type RailyardError } from '../../errors';
import { type RecordFault } from '../model';
import { storeFailure } from './failure';
import { type FileSystem } from './file-system';
import { parseLine } from './segment';

/** How many digests are remembered as being on the disk. */
const MAX_REMEMBERED = 100_000;
/** And for how long: far less than garbage collection leaves alone what was put. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** One kind of content. */
export interface ContentKind<T> {
  readonly name: string;
  readonly missing: ErrorCode;
  readonly corrupt: ErrorCode;
  readonly read: (value: unknown) => Result<T, RecordFault>;
}

/** A value and its address. */
export interface Addressed<Ref> {
  readonly ref: Ref;
  readonly bytes: Uint8Array;
}

/** Something to make durable; without bytes it is there already. */
export interface Kept<Ref> {
  readonly ref: Ref;
  readonly bytes: Uint8Array | null;
}

export class JsonContent<T extends object, Ref extends string> {
  /** Digests whose file and name this process knows to be durable, and since when. */
  private readonly durable = new Map<string, number>();
  /** Of values that somebody holds on to and puts again and again: a factory's workflows, say. Nobody changes a value. */
  private readonly addresses = new WeakMap<object, Addressed<Ref>>();

  constructor(
    private readonly fs: FileSystem,
    private readonly folder: string,
    private readonly kind: ContentKind<T>,
  ) {}

  /** The text and the address of a value that is of its kind. */
  address(value: T): Result<Addressed<Ref>, RailyardError> {
    const known = this.addresses.get(value);
    if (known) return ok(known);
    const checked = this.kind.read(value);
    if (checked.isErr()) return err(this.refused(checked.error));
    const text = canonicalJson(value);
    if (text.isErr()) return err(this.refused({ kind: 'invalid', ...text.error }));
    const bytes = Buffer.from(text.value);
    // The digest of a canonical text is what a reference of this kind is.
    const addressed = { ref: sha256Digest(bytes) as string as Ref, bytes };
    this.addresses.set(value, addressed);
    return ok(addressed);
  }

  async put(value: T): Promise<Result<Ref, RailyardError>> {
    const addressed = this.address(value);
    if (addressed.isErr()) return err(addressed.error);
    try {
      await this.keep([addressed.value]);
      return ok(addressed.value.ref);
    } catch (error) {
      return err(storeFailure(`writing a ${this.kind.name}`, error));
    }
  }

  /**
   * Make some values durable: those that are not there are written, each under a name of its own first, so that writers of
   * the same value never meet. One that another process wrote a moment ago may have a name that is not durable yet: the
   * folder is synced for it too, once.
   */
  async keep(values: readonly Kept<Ref>[]): Promise<void> {
    const unsure = values.filter(({ ref }) => !this.isRemembered(ref));
    if (unsure.length === 0) return;
    const written = await Promise.allSettled(unsure.map((value) => this.writeUnlessThere(value)));
    for (const one of written) if (one.status === 'rejected') throw one.reason;
    await this.fs.syncFolder(this.folder);
    if (this.durable.size > MAX_REMEMBERED) this.durable.clear();
    for (const { ref } of unsure) this.durable.set(ref, performance.now());
  }

  has(ref: Ref): boolean {
    return this.isRemembered(ref) || this.fs.stat(this.pathOf(ref)) !== null;
  }

  get(ref: Ref): Result<T, RailyardError> {
    let bytes: Uint8Array | null;
    try {
      bytes = this.fs.read(this.pathOf(ref));
    } catch (error) {
      return err(storeFailure(`reading a ${this.kind.name}`, error));
    }
    const { name, missing, corrupt } = this.kind;
    const details = { digest: ref };
    if (bytes === null) return err(problem(missing, `The ${name} ${ref} is not in the store.`, { details }));
    const damaged = (what: string) => err(problem(corrupt, `The ${name} ${ref} ${what}.`, { details }));
    if (sha256Digest(bytes) !== (ref as string)) return damaged('is not what its digest says');
    const read = this.kind.read(parseLine(bytes));
    if (read.isOk()) return ok(read.value);
    return damaged(read.error.kind === 'invalid' ? `is none: ${read.error.reason}` : 'is of another version');
  }

  /** The addresses of all there is. */
  refs(): Ref[] {
    const names = this.fs.list(this.folder).flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []);
    return names.sort().map((hex) => `sha256:${hex}` as Ref);
  }

  private async writeUnlessThere({ ref, bytes }: Kept<Ref>): Promise<void> {
    // One of another size is a damaged one; it is written anew.
    const there = bytes === null || this.fs.stat(this.pathOf(ref))?.size === bytes.length;
    // Touched, so that garbage collection leaves it alone; one that it took at this moment is written anew.
    if ((there && this.fs.touch(this.pathOf(ref))) || bytes === null) return;
    const temporary = join(this.folder, `.${randomUUID()}.tmp`);
    const file = this.fs.create(temporary);
    try {
      try {
        file.write(bytes);
        await file.sync();
      } finally {
        file.close();
      }
      this.fs.rename(temporary, this.pathOf(ref));
    } catch (error) {
      this.fs.remove(temporary);
      throw error;
    }
  }

  private isRemembered(ref: Ref): boolean {
    return performance.now() - (this.durable.get(ref) ?? -Infinity) < REMEMBERED_MS;
  }

  private pathOf(ref: Ref): string {
    return join(this.folder, `${ref.slice('sha256:'.length)}.json`);
  }

  private refused(fault: RecordFault): RailyardError {
    const what = fault.kind === 'invalid' ? `${fault.pointer} ${fault.reason}` : 'of another version';
    return problem('STORE_PLAN_INVALID', `A ${this.kind.name} cannot be kept: ${what}.`);
  }
}
