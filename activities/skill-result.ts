/** What a skill may report, and how much of it: it travels through Temporal and stays in its history. */
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { findNotJson } from '../src/canonical';

const MAX_METRICS_BYTES = 16_384;
const MAX_RECORDS = 1_000;
const MAX_RECORD_TEXT = 256;

const RecordText = z.string().min(1).max(MAX_RECORD_TEXT);
const SkillResultSchema = z.object({
  /** A metric that is not a number is kept as it came; the threshold that needs it says so. */
  metrics: z.record(z.string(), z.unknown()).default({}),
  notes: z.string().default(''),
  records: z.array(z.object({ id: RecordText, state: RecordText })).default([]),
});

/** One record a skill keeps track of. */
export interface RecordEntry {
  readonly id: string;
  readonly state: string;
}

/** A result that keeps the contract. */
export interface SkillResult {
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly notes: string;
  readonly records: readonly RecordEntry[];
}

/** A skill's result, checked; the error is a text for people. `states`: what a record may be in; empty: anything. */
export function parseResult(value: unknown, states: readonly string[]): Result<SkillResult, string> {
  const parsed = SkillResultSchema.safeParse(value);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
      return `${path.length === 0 ? 'the result' : path.join('.')}: ${message}`;
    });
    return err(
      `The skill's result has the wrong shape (${faults.join('; ')}). ` +
        'Use {"metrics": {}, "notes": "", "records": [{"id": "", "state": ""}]}.',
    );
  }
  const { metrics, records } = parsed.data;
  const odd = findNotJson({ metrics, records });
  if (odd) return err(`The skill's result has ${odd.reason} at ${odd.pointer}. Use plain JSON values.`);
  const bytes = Buffer.byteLength(JSON.stringify(metrics));
  if (bytes > MAX_METRICS_BYTES) {
    const limit = `at most ${MAX_METRICS_BYTES} are possible`;
    return err(`The skill reported ${bytes} bytes of metrics; ${limit}. Put large things into artifacts.`);
  }
  if (records.length > MAX_RECORDS) {
    const limit = `at most ${MAX_RECORDS} are possible`;
    return err(`The skill reported ${records.length} records; ${limit}. Put the list into an artifact.`);
  }
  const stray = states.length === 0 ? undefined : records.find(({ state }) => !states.includes(state));
  if (stray) {
    const known = states.join(', ');
    return err(`The record "${stray.id}" is in the state "${stray.state}", which is none of: ${known}.`);
  }
  return ok(parsed.data);
}
