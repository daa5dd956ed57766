/** Everything after the skill: what its end, its result and its artifacts come to. */
import { type AttemptOutcome, type ArtifactRef, type RecordCounts } from '../src/factory/run-state';
import { capture, type Captured, type ContentStore } from '../src/sandbox';
import { head } from './bounded-text';
import { type PreparedAttempt } from './prepare-attempt';
import { type Secrets } from './secrets';
import { parseResult, type RecordEntry } from './skill-result';
import { type SkillOutcome } from './skill-runtime';

/** Of an error, and of notes, in UTF-8: both travel through Temporal. */
const MAX_TEXT_BYTES = 4_096;
/** Of the part of the notes that we add. */
const MAX_ADDED_BYTES = 1_024;

/** Of a prepared attempt, what its end is judged by. */
export type Judging = Pick<PreparedAttempt, 'block' | 'workspace' | 'warnings'>;

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

/** The outcome of an attempt whose skill has ended, with who performed it in the place of the block's own runtime. */
export async function judgeAttempt(
  ended: SkillOutcome,
  prepared: Judging,
  store: ContentStore,
  runtime: string,
): Promise<AttemptOutcome> {
  const outcome = await judge(ended, prepared, store, runtime);
  const { runtime: asked } = prepared.block;
  return runtime === asked ? outcome : { ...outcome, standIn: { ran: runtime, asked } };
}

async function judge(
  ended: SkillOutcome,
  { block, workspace, warnings }: Judging,
  store: ContentStore,
  runtime: string,
): Promise<AttemptOutcome> {
  if (ended.kind === 'cancelled') return failed('cancelled', ended.error);
  if (ended.kind === 'failed') return failed(ended.failure, ended.error);
  const result = parseResult(ended.result, block.recordState.states);
  if (result.isErr()) return failed('error', result.error);
  const { metrics, notes, records } = result.value;

  const captured: Captured[] = [];
  for (const artifact of block.artifacts) captured.push(await capture(store, workspace, artifact));
  const lacking = judgeArtifacts(captured);
  if (lacking) return { ...lacking, metrics };
  const added = [standInNote(runtime, block.runtime), ...warnings].filter((line) => line !== '').join('\n');
  return {
    kind: 'succeeded',
    artifacts: captured.flatMap((one): ArtifactRef[] => (one.kind === 'captured' ? [one.artifact] : [])),
    metrics,
    notes: joinNotes(notes, added),
    recordCounts: countStates(records),
  };
}

/** An outcome as it may be kept: without the values of secrets, and with texts of bounded size. */
export function presentable(outcome: AttemptOutcome, secrets: Secrets): AttemptOutcome {
  const shown = secrets.hideIn(outcome);
  return shown.kind === 'failed'
    ? { ...shown, error: head(shown.error, MAX_TEXT_BYTES) }
    : { ...shown, notes: head(shown.notes, MAX_TEXT_BYTES) };
}

const failed = (failure: Failed['failure'], error: string): Failed => ({
  kind: 'failed',
  failure,
  error,
  metrics: {},
});

/** All that is wrong with the artifacts, in one text; null: nothing. */
function judgeArtifacts(captured: readonly Captured[]): Failed | null {
  const refused = captured.flatMap((one) =>
    one.kind === 'refused' ? [`"${one.key}": ${one.path} ${one.why}`] : [],
  );
  const missing = captured.flatMap((one) => (one.kind === 'missing' ? [`"${one.key}" (${one.path})`] : []));
  const lines = [
    ...(refused.length > 0 ? [`Artifacts that cannot be taken: ${refused.join('; ')}.`] : []),
    ...(missing.length > 0 ? [`The skill ended well but did not write: ${missing.join(', ')}.`] : []),
  ];
  if (lines.length === 0) return null;
  return failed(refused.length > 0 ? 'error' : 'missing_artifact', lines.join('\n'));
}

/** The records themselves stay in the attempt's result; a thousand of them a block would not travel. */
function countStates(records: readonly RecordEntry[]): RecordCounts {
  const counts = new Map<string, number>();
  for (const { state } of records) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** The one place that says to people that another runtime than the block's performed it. */
function standInNote(ran: string, asked: string): string {
  return ran === asked ? '' : `The stand-in "${ran}" performed this block instead of "${asked}".`;
}

/** The skill's notes give way to ours, so that ours are never cut off. */
function joinNotes(notes: string, added: string): string {
  if (added === '') return notes;
  const ours = head(added, MAX_ADDED_BYTES);
  const theirs = head(notes.trimEnd(), MAX_TEXT_BYTES - Buffer.byteLength(ours) - 1);
  return theirs === '' ? ours : `${theirs}\n${ours}`;
}
