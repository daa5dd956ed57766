/** What was handed in, as outputs of the node that the attempt makes (locks, section 1). */
import { ok, Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import {
  type Digest,
  MAX_NOTES_BYTES,
  type NodeOutput,
  orderOutputs,
  type RecommendationWarning,
  truncateUtf8,
} from '../model';
import { type ArtifactStore } from '../ports';
import { type AttemptKey, derived } from './derived-ids';
import { artifactBytes } from './input';

/** An artifact that is in the store. */
export interface KeptArtifact {
  readonly sha256: Digest;
  readonly contentType: string;
  readonly byteLength: number;
}

/** Put artifacts into the store; the same one twice is one. Done before the session's lock is taken. */
export async function keepArtifacts(
  store: ArtifactStore,
  artifacts: readonly unknown[],
): Promise<Result<readonly KeptArtifact[], RailyardError>> {
  const kept = await Promise.all(
    artifacts.map(async (artifact) => {
      const { bytes, contentType } = artifactBytes(artifact);
      const put = await store.put(bytes);
      return put.map((sha256): KeptArtifact => ({ sha256, contentType, byteLength: bytes.length }));
    }),
  );
  return Result.combine(kept).andThen((all) =>
    ok([...new Map(all.map((one) => [one.sha256, one])).values()]),
  );
}

/** The outputs of an attempt, in their order: notes, then artifacts, then warnings that it brought about. */
export function outputsOf(
  key: AttemptKey,
  notesMarkdown: string,
  artifacts: readonly KeptArtifact[],
  warnings: readonly RecommendationWarning[],
): NodeOutput[] {
  const recap: NodeOutput[] =
    notesMarkdown.trim() === '' ? [] : [notesOutput(derived.recap(key), notesMarkdown)];
  const refs = artifacts.map((artifact): NodeOutput => ({
    outputId: derived.artifact(key, artifact.sha256, artifact.contentType),
    outputChannel: 'artifact',
    payload: { payloadKind: 'artifact_ref', ...artifact },
  }));
  return [...orderOutputs([...recap, ...refs]), ...warnings.map((warning) => warningOutput(key, warning))];
}

/** Notes of a recap, cut to their budget. */
export const notesOutput = (outputId: NodeOutput['outputId'], notesMarkdown: string): NodeOutput => ({
  outputId,
  outputChannel: 'recap',
  payload: { payloadKind: 'notes', notesMarkdown: truncateUtf8(notesMarkdown, MAX_NOTES_BYTES) },
});

/** Preferences beyond a recommendation are recorded on the node they hold at (locks, section 5). */
const warningOutput = (key: AttemptKey, { kind, summary }: RecommendationWarning): NodeOutput => ({
  outputId: derived.warning(key, kind),
  outputChannel: 'artifact',
  payload: { payloadKind: 'notes', notesMarkdown: `Warning (${kind}): ${summary}` },
});
