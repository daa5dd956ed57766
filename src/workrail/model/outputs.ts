/** Durable outputs of a node: notes, and artifacts by digest (locks, section 1). */
import { z } from 'zod';
import { MAX_NOTES_BYTES } from './budgets';
import { Digest, OutputId } from './ids';
import { byCodeUnits } from './lexical';
import { fitsUtf8 } from './text';

export const NotesPayload = z.object({
  payloadKind: z.literal('notes'),
  notesMarkdown: z
    .string()
    .refine((text) => fitsUtf8(text, MAX_NOTES_BYTES), `must fit into ${MAX_NOTES_BYTES} UTF-8 bytes`),
});

export const ArtifactRefPayload = z.object({
  payloadKind: z.literal('artifact_ref'),
  sha256: Digest,
  contentType: z.string().min(1).max(255),
  byteLength: z.int().nonnegative(),
});

/** The recap channel carries notes only; what they are about goes by digest. */
export const NodeOutput = z.discriminatedUnion('outputChannel', [
  z.object({
    outputId: OutputId,
    supersedesOutputId: OutputId.optional(),
    outputChannel: z.literal('recap'),
    payload: NotesPayload,
  }),
  z.object({
    outputId: OutputId,
    supersedesOutputId: OutputId.optional(),
    outputChannel: z.literal('artifact'),
    payload: z.discriminatedUnion('payloadKind', [NotesPayload, ArtifactRefPayload]),
  }),
]);
export type NodeOutput = z.infer<typeof NodeOutput>;

/** The order in which the outputs of one operation are appended: at most one recap, then artifacts by (sha256, contentType). */
export function orderOutputs(outputs: readonly NodeOutput[]): NodeOutput[] {
  const recap = outputs.filter(({ outputChannel }) => outputChannel === 'recap').slice(0, 1);
  const artifacts = outputs.filter(({ outputChannel }) => outputChannel === 'artifact');
  return [...recap, ...artifacts.sort(byArtifact)];
}

function byArtifact(a: NodeOutput, b: NodeOutput): number {
  const [one, two] = [a.payload, b.payload];
  if (one.payloadKind !== 'artifact_ref' || two.payloadKind !== 'artifact_ref') return 0;
  return byCodeUnits(one.sha256, two.sha256) || byCodeUnits(one.contentType, two.contentType);
}
