import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Say } from './ways';

const SAY_EVERY_MS = 2_000;

/**
 * Watch a download by the bytes that appear in its folder. The answer is the `goOn` of `runChild`: it says how far
 * the download is, at most every two seconds, and gives up when nothing has come for `stallMs`.
 */
export function watchDownload(
  folder: string,
  { say, line, stallMs }: { say: Say; line: (bytes: number) => string; stallMs: number },
): () => Promise<boolean> {
  const start = Date.now();
  let most = 0;
  let grewAt = start;
  let saidAt = start;
  return async () => {
    const bytes = await bytesIn(folder);
    const now = Date.now();
    if (bytes > most) {
      most = bytes;
      grewAt = now;
    }
    if (now - saidAt >= SAY_EVERY_MS) {
      saidAt = now;
      say(`${line(bytes)}, ${Math.round((now - start) / 1000)} s`);
    }
    return now - grewAt < stallMs;
  };
}

/** Bytes of all files under a folder; files that vanish meanwhile do not count. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    bytes += await stat(join(entry.parentPath, entry.name)).then(
      (found) => found.size,
      () => 0,
    );
  }
  return bytes;
}

/** Bytes as whole megabytes, for people. */
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;
