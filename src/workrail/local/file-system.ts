/**
 * What the store needs of a file system, and no more: small enough that a second adapter can say of every byte and every
 * name whether it would outlive a power cut. Failures are the system's own errors, thrown; the store turns them into
 * Results at its own edge.
 */

/** What is at a path. */
export interface FileStat {
  readonly kind: 'file' | 'folder';
  readonly size: number;
  readonly ino: number;
  readonly mtimeNs: bigint;
}

/** A file that is being written. Only `sync` makes anything durable. */
export interface OpenFile {
  /** All bytes, or an error after some of them. */
  write(bytes: Uint8Array): void;
  truncate(size: number): void;
  sync(): Promise<void>;
  close(): void;
}

/** A kernel lock; it goes with the process, however that ends. */
export interface FileLock {
  release(): void;
}

export interface FileSystem {
  /** Null: there is nothing. */
  stat(path: string): FileStat | null;
  /** The names in a folder, in no order; none where there is no folder. */
  list(path: string): readonly string[];
  /** Bytes of a file from an offset on, at most so many; null: there is no file. */
  read(path: string, from?: number, length?: number): Uint8Array | null;
  /** Give a file the present time; false: there is none. */
  touch(path: string): boolean;
  /** Make a folder and those above it; one that is there is left alone. */
  makeFolder(path: string): void;
  /** A new, empty file in place of whatever file had the name. */
  create(path: string): OpenFile;
  /** A file that is there, to write at its end. */
  append(path: string): OpenFile;
  /** Give something another name: a file replaces a file; a folder replaces no folder that has anything in it. */
  rename(from: string, to: string): void;
  /** Remove a file, or a folder with all in it; what is not there is no fault. */
  remove(path: string): void;
  /** Make the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /**
   * Take the exclusive lock on a file, without waiting. The file is made, unless only an existing one is asked for: then one
   * that is not there, or that this process may not write to, is missing.
   */
  lock(path: string, existing?: 'existing'): FileLock | 'busy' | 'missing';
}
