/** A place in a run: what a token refers to, found and compared with the store. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import {
  type CompiledStep,
  type CompiledWorkflow,
  DEFAULT_PREFERENCES,
  type ExecutionSnapshot,
  isComplete,
  type NodeId,
  pendingStep,
  type Preferences,
  stepInstanceKey,
} from '../model';
import { type Session } from '../ports';
import { effectivePreferences, type Run, type RunNode, sessionView, type SessionView } from '../projections';
import { asTokenProblem, checkNode, type TokenPayload } from '../tokens';
import { type Reading } from './ports';
import { type Tended } from './steward';

/** A node, with all that is needed to go on from it. */
export interface Place {
  readonly session: Session;
  /** Grows with the session; between two awaits it stands still. */
  readonly view: Readonly<SessionView>;
  readonly run: Run;
  readonly node: RunNode;
  readonly workflow: CompiledWorkflow;
  readonly snapshot: ExecutionSnapshot;
  /** What a factory says of it; null: it is the agents' own. */
  readonly tended: Tended | null;
}

/** The place that a token refers to; callers with tokens hear `TOKEN_*` where it is not there. */
export async function placeOfToken(
  reading: Reading,
  token: TokenPayload,
): Promise<Result<Place, RailyardError>> {
  const session = await reading.sessions.load(token.sessionId);
  if (session.isErr()) return err(asTokenProblem(session.error));
  const view = session.value.project(sessionView);
  const run = view.dag.runOf.get(token.nodeId);
  const node = run?.nodes.get(token.nodeId);
  const fits = checkNode(token, run && node && { runId: run.runId, workflowHash: node.workflowHash });
  if (fits.isErr()) return err(fits.error);
  return run && node ? placeAt(reading, session.value, run, node) : err(unknownNode(token.nodeId));
}

/** The place of a node, with its content. */
export async function placeAt(
  { contents, steward }: Pick<Reading, 'contents' | 'steward'>,
  session: Session,
  run: Run,
  node: RunNode,
): Promise<Result<Place, RailyardError>> {
  const workflow = await contents.workflow(node.workflowHash);
  if (workflow.isErr()) return err(workflow.error);
  const snapshot = await contents.snapshot(node.snapshotRef);
  if (snapshot.isErr()) return err(snapshot.error);
  const view = session.project(sessionView);
  const tended = await steward.at(session, run.runId, node.nodeId);
  if (tended.isErr()) return err(tended.error);
  const pinned = { workflow: workflow.value, snapshot: snapshot.value };
  return ok({ session, view, run, node, ...pinned, tended: tended.value });
}

const unknownNode = (nodeId: NodeId): RailyardError =>
  problem('TOKEN_UNKNOWN_NODE', `The node ${nodeId} is not in this store.`);

/** What holds at a place. Preferences come to a node when it is made, so this never changes. */
export const preferencesAt = ({ view, node }: Place): Preferences =>
  effectivePreferences(view.dag, view.preferences, node.nodeId, DEFAULT_PREFERENCES);

/** The step that waits at a place; null: none does. */
export function stepAt({ workflow, snapshot }: Place): CompiledStep | null {
  const pending = pendingStep(snapshot);
  return workflow.steps.find(({ stepId }) => stepId === pending?.stepId) ?? null;
}

const TAIL_LENGTH = 6;

/**
 * What answers call a place: its workflow, the end of its session's id, its step and a number of its own. Two places never
 * have the same label, so that a caller with several sessions can tell tokens apart.
 */
export function labelOf({ session, node, workflow, snapshot }: Place): string {
  const pending = pendingStep(snapshot);
  const step = isComplete(snapshot)
    ? 'complete'
    : pending
      ? stepInstanceKey(pending.stepId, pending.loopPath)
      : 'waiting';
  const kind = node.nodeKind === 'step' ? '' : ` (${node.nodeKind.replace('_', ' ')})`;
  return `${workflow.workflowId} [${session.sessionId.slice(-TAIL_LENGTH)}] ${step}${kind} #${node.createdAt}`;
}
