import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const MAX_BYTES = 5_000_000;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Put the log aside as `<path>.1`; the one that was there before is gone. */
export function rotateLog(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (sizeOf(path) > 0) renameSync(path, `${path}.1`);
}

/**
 * Append what the server prints. At most two files of `maxBytes` and a chunk are kept. A log that cannot be written,
 * on a full disk say, loses lines; the server goes on.
 */
export function logWriter(path: string, maxBytes = MAX_BYTES): (chunk: Buffer) => void {
  let size = sizeOf(path);
  return (chunk) => {
    try {
      if (size > maxBytes) {
        rotateLog(path);
        size = 0;
      }
      appendFileSync(path, chunk);
      size += chunk.length;
    } catch {
      // Nowhere to tell it.
    }
  };
}

/** The last lines of the log after `offset`, for an error message. */
export function logTail(path: string, offset: number, lines = 10): string[] {
  try {
    const text = readFileSync(path).subarray(offset).toString('utf8').trimEnd();
    return text === '' ? [] : text.split('\n').slice(-lines);
  } catch {
    return [];
  }
}

/** Where the log ends now. */
export const logEnd = sizeOf;
