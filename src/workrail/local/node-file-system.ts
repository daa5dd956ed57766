/**
 * The real file system. Only the syncs are waited for, in the thread pool; the calls around them take microseconds, and a
 * promise for each would take longer than the disk does.
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { tryLock } from 'fs-native-extensions';
import { hasCode, isMissing } from '../../errno';
import { type FileLock, type FileStat, type FileSystem, type OpenFile } from './file-system';

const sync = promisify(fs.fsync);

export const nodeFileSystem: FileSystem = {
  stat(path) {
    const found = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : statOf(found);
  },

  list(path) {
    return orIfMissing([], () => fs.readdirSync(path));
  },

  read(path, from = 0, length) {
    return orIfMissing(null, () => {
      const fd = fs.openSync(path, 'r');
      try {
        const rest = Math.max(0, fs.fstatSync(fd).size - from);
        return readFully(fd, from, Math.min(rest, length ?? rest));
      } finally {
        fs.closeSync(fd);
      }
    });
  },

  touch(path) {
    const now = new Date();
    return orIfMissing(false, () => {
      fs.utimesSync(path, now, now);
      return true;
    });
  },

  makeFolder(path) {
    fs.mkdirSync(path, { recursive: true });
  },

  create: (path) => new NodeFile(fs.openSync(path, 'w', 0o644)),

  // Not created: a file that vanished is damage to be seen, not to be papered over.
  append: (path) => new NodeFile(fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_APPEND)),

  rename(from, to) {
    fs.renameSync(from, to);
  },

  remove(path) {
    fs.rmSync(path, { recursive: true, force: true });
  },

  async syncFolder(path) {
    const fd = fs.openSync(path, 'r');
    try {
      await sync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },

  lock(path, existing) {
    try {
      return tryToHold(existing ? fs.openSync(path, 'r+') : fs.openSync(path, 'a+', 0o644), path);
    } catch (error) {
      if (existing && (isMissing(error) || hasCode(error, 'EACCES', 'EPERM', 'EROFS'))) return 'missing';
      throw error;
    }
  },
};

function tryToHold(fd: number, path: string): FileLock | 'busy' {
  try {
    // A lock on a file that no longer has the name keeps nobody out.
    if (tryLock(fd) && fs.lstatSync(path, { throwIfNoEntry: false })?.ino === fs.fstatSync(fd).ino) {
      return { release: () => fs.closeSync(fd) };
    }
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return 'busy';
}

class NodeFile implements OpenFile {
  constructor(private readonly fd: number) {}

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += fs.writeSync(this.fd, bytes, at);
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.fd, size);
  }

  sync(): Promise<void> {
    return sync(this.fd);
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

function statOf(found: fs.BigIntStats): FileStat {
  return {
    kind: found.isDirectory() ? 'folder' : 'file',
    size: Number(found.size),
    ino: Number(found.ino),
    mtimeNs: found.mtimeNs,
  };
}

function readFully(fd: number, from: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const got = fs.readSync(fd, bytes, at, length - at, from + at);
    if (got === 0) break;
    at += got;
  }
  return bytes.subarray(0, at);
}

function orIfMissing<T>(missing: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isMissing(error) || hasCode(error, 'EISDIR')) return missing;
    throw error;
  }
}
