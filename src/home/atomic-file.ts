import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrno } from '../errno';

/**
 * Write a file so that a reader, or a start after a crash, sees all of it or what was there before: temporary name,
 * fsync, rename, fsync of the folder.
 */
export async function writeAtomic(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  await throughTemporary(path, data, mode, (temporary) => rename(temporary, path));
}

/** The same for a file that is made once: of several processes one writes it. False: it was there. */
export async function writeOnce(path: string, data: string | Uint8Array, mode = 0o644): Promise<boolean> {
  try {
    await throughTemporary(path, data, mode, (temporary) => link(temporary, path));
    return true;
  } catch (error) {
    if (isErrno(error) && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function throughTemporary(
  path: string,
  data: string | Uint8Array,
  mode: number,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await publish(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
}

/** Make a new name in a folder durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
