import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type MarkedProcess } from './terminate';

/** Which server runs on a data directory, and for which process. It outlives both when all are killed at once. */
export interface PidEntry {
  readonly server: MarkedProcess;
  /** The process that started it and stops it. */
  readonly owner: MarkedProcess;
  readonly program: string;
}

/** The entry, or null where there is none that can be read. */
export function readPidFile(path: string): PidEntry | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

/** Replace the file as a whole. */
export function writePidFile(path: string, entry: PidEntry): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(entry)}\n`);
  renameSync(temporary, path);
}

/** Remove the file if it still names this server, not one that was started since. */
export function removePidFile(path: string, server: MarkedProcess): void {
  const entry = readPidFile(path);
  if (entry?.server.pid === server.pid && entry.server.mark === server.mark) rmSync(path, { force: true });
}

// By hand and not by zod: the guard process reads this file too and stays small without it.
function isEntry(value: unknown): value is PidEntry {
  if (typeof value !== 'object' || value === null) return false;
  if (!('server' in value && 'owner' in value && 'program' in value)) return false;
  return isMarked(value.server) && isMarked(value.owner) && typeof value.program === 'string';
}

function isMarked(value: unknown): value is MarkedProcess {
  if (typeof value !== 'object' || value === null || !('pid' in value && 'mark' in value)) return false;
  return Number.isInteger(value.pid) && Number(value.pid) > 0 && typeof value.mark === 'string';
}
