/**
 * `lock` in an attempt's folder: who holds it executes the attempt. After a pause (a laptop that slept) Temporal may start
 * an attempt again while the first execution is alive, even in the same process. The lock is the kernel's and goes with
 * its process, so whoever gets it knows that nobody else is at work.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';

const LOCK_FILE = 'lock';

/** The right to execute an attempt. */
export class AttemptLock {
  private constructor(private readonly fd: number) {}

  /** Be the one who executes an attempt; null: somebody else is at work. */
  static take(dir: string): AttemptLock | null {
    const fd = openSync(join(dir, LOCK_FILE), 'a+', 0o600);
    let locked = false;
    try {
      locked = tryLock(fd);
    } finally {
      if (!locked) closeSync(fd);
    }
    return locked ? new AttemptLock(fd) : null;
  }

  release(): void {
    closeSync(this.fd);
  }
}
