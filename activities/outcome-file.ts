/**
 * `outcome.json` in an attempt's folder. Once it holds an outcome, the attempt is over and its skill is not run again.
 *
 * It is also the attempt's lock. After a pause (a laptop that slept) Temporal may start an attempt again while the first
 * execution is alive, even in the same process. The lock is the kernel's and goes with its process, so whoever gets it
 * knows that nobody else is at work.
 *
 * It need not outlive the machine: what Temporal has heard of is not asked for again, and what it has not heard of may
 * be executed again. So nothing is synced, and a file that a power cut or a crash has left half written holds nothing.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { z } from 'zod';
import { type AttemptOutcome } from '../src/factory/run-state';
import { parseJson } from '../src/home';

const OUTCOME_FILE = 'outcome.json';

const Metrics = z.record(z.string(), z.unknown());
const Artifact = z.object({
  key: z.string(),
  path: z.string(),
  format: z.string(),
  digest: z.string(),
  bytes: z.number(),
});
const Recorded = z.object({
  version: z.literal(1),
  outcome: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('succeeded'),
      artifacts: z.array(Artifact),
      metrics: Metrics,
      notes: z.string(),
      recordCounts: z.record(z.string(), z.number()),
    }),
    z.object({
      kind: z.literal('failed'),
      failure: z.enum(['error', 'timeout', 'missing_artifact', 'cancelled']),
      error: z.string(),
      metrics: Metrics,
    }),
  ]),
});

/** The outcome of an attempt, in the hands of the one who executes it. */
export class OutcomeFile {
  private constructor(private readonly fd: number) {}

  /** Be the one who executes an attempt; null: somebody else is at work. */
  static open(dir: string): OutcomeFile | null {
    const fd = openSync(join(dir, OUTCOME_FILE), 'a+', 0o600);
    let locked = false;
    try {
      locked = tryLock(fd);
    } finally {
      if (!locked) closeSync(fd);
    }
    return locked ? new OutcomeFile(fd) : null;
  }

  /** The outcome the attempt has; null: none yet. */
  read(): AttemptOutcome | null {
    const lines = readFileSync(this.fd, 'utf8').split('\n');
    // What follows a half-written line stands on a line of its own.
    const recorded = lines.map((line) => Recorded.safeParse(parseJson(line))).find(({ success }) => success);
    return recorded?.data?.outcome ?? null;
  }

  record(outcome: AttemptOutcome): void {
    writeSync(this.fd, `\n${JSON.stringify({ version: 1, outcome })}\n`);
  }

  close(): void {
    closeSync(this.fd);
  }
}
