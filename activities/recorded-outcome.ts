/** `outcome.json` in an attempt's folder: once it is there, the attempt is over, and its skill is not run again. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { hasCode } from '../src/errno';
import { problem, type RailyardError } from '../src/errors';
import { type AttemptOutcome } from '../src/factory/run-state';
import { writeAtomic } from '../src/home';

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

/** The outcome an attempt has; null: none yet. */
export async function readOutcome(dir: string): Promise<Result<AttemptOutcome | null, RailyardError>> {
  const path = join(dir, OUTCOME_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ok(null);
    throw error;
  }
  const recorded = Recorded.safeParse(parseJson(text));
  if (recorded.success) return ok(recorded.data.outcome);
  // It was written whole or not at all, so somebody has changed it since; a guess could run the skill twice.
  const suggestion = 'Restore the file, or retry the block: the next attempt has a folder of its own.';
  return err(problem('INTERNAL', `The recorded outcome ${path} cannot be read.`, { suggestion }));
}

/** Record the outcome for good. */
export async function recordOutcome(dir: string, outcome: AttemptOutcome): Promise<void> {
  await writeAtomic(join(dir, OUTCOME_FILE), JSON.stringify({ version: 1, outcome }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
