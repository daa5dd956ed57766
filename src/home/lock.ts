import { open, type FileHandle } from 'node:fs/promises';
import { tryLock } from 'fs-native-extensions';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../errors';
import { unusable, type Home } from './home';

/**
 * Be the one service on this data directory. The lock is the kernel's: it goes with the process, however that ends.
 * Answers with the function that gives it back.
 */
export async function lockHome(home: Home): Promise<Result<() => Promise<void>, RailyardError>> {
  let file: FileHandle;
  try {
    file = await open(home.path('lock'), 'a+', 0o600);
  } catch (error) {
    return err(unusable(home.root, error));
  }
  if (tryLock(file.fd)) return ok(() => file.close());
  await file.close();
  return err(problem('HOME_IN_USE', `Another railyard is running on the data directory ${home.root}.`));
}
