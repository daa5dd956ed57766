import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';

/** The name of the file. */
const LOCK_FILE = 'lock';

/**
 * Be the one who executes an attempt. After a pause (a laptop that slept) Temporal may start an attempt again while the
 * first execution is alive, even in the same process. The lock is the kernel's and goes with its process, so whoever
 * gets it knows that nobody else is at work. Answers with the function that gives it back, or null.
 */
export async function lockAttempt(dir: string): Promise<(() => Promise<void>) | null> {
  const file = await open(join(dir, LOCK_FILE), 'a+', 0o600);
  let locked = false;
  try {
    locked = tryLock(file.fd);
  } finally {
    if (!locked) await file.close();
  }
  return locked ? () => file.close() : null;
}
