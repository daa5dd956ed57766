/**
 * Files that are there whole or not at all. Only the two syncs are waited for; the calls around them take microseconds,
 * and a promise for each would take longer than the disk does.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../errno';

const sync = promisify(fsync);

/**
 * Write a file so that a reader, or a start after a crash, sees all of it or what was there before: temporary name,
 * fsync, rename, fsync of the folder.
 */
export async function writeAtomic(path: string, data: string, mode = 0o644): Promise<void> {
  await throughTemporary(path, data, mode, (temporary) => renameSync(temporary, path));
}

/** The same for a file that is made once: of several processes one writes it. False: it was there. */
export async function writeOnce(path: string, data: string, mode = 0o644): Promise<boolean> {
  try {
    await throughTemporary(path, data, mode, (temporary) => linkSync(temporary, path));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Write a file that another process sees whole or not at all, for what only has to outlive this process and not the
 * machine: after a power cut it may be missing or empty.
 */
export function writeWhole(path: string, data: string): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  writeFileSync(temporary, data, { flag: 'wx' });
  renameSync(temporary, path);
}

async function throughTemporary(
  path: string,
  data: string,
  mode: number,
  publish: (temporary: string) => void,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await withFile(temporary, 'wx', mode, (fd) => {
      writeFileSync(fd, data);
    });
    publish(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
  // Makes the new name durable.
  await withFile(dirname(path), 'r', mode, () => undefined);
}

/** Open something, do what there is to do, and wait until the disk has it. */
async function withFile(
  path: string,
  flags: string,
  mode: number,
  work: (fd: number) => void,
): Promise<void> {
  const fd = openSync(path, flags, mode);
  try {
    work(fd);
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}
