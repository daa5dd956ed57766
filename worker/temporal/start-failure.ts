import { join } from 'node:path';
import { problem, type RailyardError } from '../../src/errors';
import { DATABASE_FILE } from './server-arguments';

/** What is known about a start that failed. */
export interface StartFacts {
  readonly dataDir: string;
  readonly logFile: string;
  /** What happened, as a sentence. */
  readonly sentence: string;
  /** The last lines of the server's log. */
  readonly lines: readonly string[];
}

const DAMAGED = /file is not a database|disk image is malformed|no such table|no such column/i;

/** Whether another port may do better. */
export const isPortTaken = (lines: readonly string[]): boolean =>
  lines.some((line) => line.includes('address already in use'));

/** The error for a start that failed: what happened, the end of the log, where the whole log is, what to do. */
export function startFailed({ dataDir, logFile, sentence, lines }: StartFacts): RailyardError {
  const database = join(dataDir, DATABASE_FILE);
  const damaged = lines.some((line) => DAMAGED.test(line));
  const message = [
    damaged ? `The Temporal dev server cannot read its database ${database}.` : sentence,
    ...lines.map((line) => `  ${line}`),
    `The whole log is ${logFile}.`,
  ].join('\n');
  return problem('TEMPORAL_START_FAILED', message, {
    ...(damaged
      ? {
          suggestion:
            `Restore a backup of ${database}, or move it and the files ${DATABASE_FILE}-wal and ${DATABASE_FILE}-shm ` +
            'beside it away and start again: the runs are in the store and can be resumed from there.',
        }
      : { suggestion: `Read the log lines above; the whole log is ${logFile}.` }),
    details: { log: logFile, lines, ...(damaged ? { database } : {}) },
  });
}
