import { appendFileSync, renameSync, statSync } from 'node:fs';
import { isWanted, lineOf, type Log, type LogFields, type LogLevel } from './log';

export interface LogFileOptions {
  /** The least important thing that is logged. */
  readonly level?: LogLevel;
  /** A file that grows beyond this is set aside under its name with `.old`; one such file is kept. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 10 * 1024 * 1024;

/** A log in a file: one JSON object a line. Nobody else writes to it. */
export class LogFile implements Log {
  private readonly level: LogLevel;
  private readonly maxBytes: number;
  private bytes: number;

  constructor(
    readonly path: string,
    { level = 'info', maxBytes = MAX_BYTES }: LogFileOptions = {},
  ) {
    this.level = level;
    this.maxBytes = maxBytes;
    this.bytes = sizeOf(path);
  }

  /** Log something. A full disk must not bring the service down, so a failure to log is let go. */
  write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!isWanted(level, this.level)) return;
    const line = lineOf(level, message, fields);
    const length = Buffer.byteLength(line);
    try {
      if (this.bytes > 0 && this.bytes + length > this.maxBytes) {
        renameSync(this.path, `${this.path}.old`);
        this.bytes = 0;
      }
      appendFileSync(this.path, line);
      this.bytes += length;
    } catch {
      // What is there now is not known; the next line looks again.
      this.bytes = sizeOf(this.path);
    }
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
