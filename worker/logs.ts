import { appendFileSync, renameSync, statSync } from 'node:fs';

/** A log larger than this is set aside at the next start; one old one is kept. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A log file: one JSON object a line. */
export class LogFile {
  constructor(readonly path: string) {
    try {
      if (statSync(path).size > MAX_BYTES) renameSync(path, `${path}.old`);
    } catch {
      // There is none yet.
    }
  }

  /** Log something. A full disk must not bring the service down, so a failure to log is let go. */
  write(level: string, message: string, meta: Readonly<Record<string, unknown>> = {}): void {
    const line = JSON.stringify({ at: new Date().toISOString(), level, message, ...meta }, errorsAsText);
    try {
      appendFileSync(this.path, `${line}\n`);
    } catch {
      // See above.
    }
  }
}

const errorsAsText = (_key: string, value: unknown): unknown =>
  value instanceof Error ? (value.stack ?? value.message) : typeof value === 'bigint' ? String(value) : value;
