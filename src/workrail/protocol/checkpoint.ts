/** checkpoint_workflow: notes kept at a place, once for each token. The step stays pending, and the place stays a tip. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type AppendPlan, type NodeId } from '../model';
import { type Minting, type Session, type TokenSigner } from '../ports';
import { sessionView } from '../projections';
import { asTokenProblem, type CheckpointPayload, decodeToken } from '../tokens';
import { checkpointTokenOf, stateTokenOf } from './answer';
import { derived, firstAttempts } from './derived-ids';
import * as events from './event-writer';
import { jsonField } from './input';
import { notesOutput } from './outputs';
import { labelOf, type Place, placeOfToken } from './place';
import { type Writing } from './ports';
import { type ToolInput, type ToolOutput } from './tools';

type Answer = Result<ToolOutput<'checkpoint_workflow'>, RailyardError>;

export async function checkpointWorkflow(
  writing: Writing,
  { checkpointToken, notesMarkdown = '' }: ToolInput<'checkpoint_workflow'>,
): Promise<Answer> {
  const signer = await writing.signer();
  if (signer.isErr()) return err(signer.error);
  const token = decodeToken('checkpoint', checkpointToken, signer.value);
  if (token.isErr()) return err(token.error);
  const place = await placeOfToken(writing, token.value);
  if (place.isErr()) return err(place.error);
  const nodeId = derived.checkpoint(token.value);
  // Its node is there: so is all of its plan.
  if (isKept(place.value.session, nodeId)) return answerOf(place.value, nodeId, signer.value);
  if (place.value.tended?.refusal) return err(place.value.tended.refusal);
  const usable = jsonField('notesMarkdown', notesMarkdown);
  if (usable.isErr()) return err(usable.error);
  const kept = await writing.sessions.withSession(token.value.sessionId, async (session, witness) => {
    if (isKept(session, nodeId)) return ok(undefined);
    const plan = planCheckpoint(place.value, token.value, notesMarkdown, writing.minting);
    return (await writing.sessions.append(witness, [plan])).map(() => undefined);
  });
  return kept.isErr() ? err(asTokenProblem(kept.error)) : answerOf(place.value, nodeId, signer.value);
}

const isKept = (session: Session, nodeId: NodeId): boolean =>
  session.project(sessionView).dag.runOf.has(nodeId);

/** The plan of a checkpoint; its first key is the node's, which its token gives. */
export function planCheckpoint(
  { session, node }: Place,
  key: CheckpointPayload,
  notesMarkdown: string,
  minting: Pick<Minting, 'eventId'>,
): AppendPlan {
  const nodeId = derived.checkpoint(key);
  const writer: events.Writer = { sessionId: session.sessionId, key, nodeId, minting };
  const created = events.nodeCreated(writer, {
    nodeKind: 'checkpoint',
    parentNodeId: key.nodeId,
    workflowHash: node.workflowHash,
    snapshotRef: node.snapshotRef,
  });
  const notes = notesMarkdown.trim() === '' ? [] : [notesOutput(derived.recap(key), notesMarkdown)];
  return {
    events: [
      created,
      events.edgeCreated(writer, 'checkpoint', { kind: 'checkpoint_created', eventId: created.eventId }),
      ...notes.map((output) => events.outputAppended(writer, output)),
    ],
    snapshots: [],
  };
}

/** The tokens are of the place that the checkpoint marks: work goes on there, and another checkpoint is another token. */
function answerOf(place: Place, checkpointNodeId: NodeId, signer: TokenSigner): Answer {
  const next = firstAttempts(place.run.runId, checkpointNodeId);
  return ok({
    label: labelOf(place),
    checkpointNodeId,
    stateToken: stateTokenOf(place, signer),
    checkpointToken: checkpointTokenOf(place, signer, next),
  });
}
