/** Whether tokens fit together and to the store: what a signature alone does not say (locks, section 1.2; 12 for the codes). */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { type RunId, type WorkflowHash } from '../model';
import {
  tokenName,
  type AckPayload,
  type CheckpointPayload,
  type StatePayload,
  type TokenPayload,
} from './payload';

/** What the answers called the places that two tokens are of: sessions and steps in words. */
export interface PairLabels {
  readonly state: string;
  readonly other: string;
}

/** Two tokens of one call must be of one place. The labels tell a caller with several sessions which one it mixed up. */
export function checkPair(
  state: StatePayload,
  other: AckPayload | CheckpointPayload,
  labels: PairLabels,
): Result<void, RailyardError> {
  const differs = (['sessionId', 'runId', 'nodeId'] as const).find((field) => state[field] !== other[field]);
  if (differs === undefined) return ok();
  const name = tokenName(other.tokenKind);
  return err(
    problem(
      'TOKEN_SCOPE_MISMATCH',
      `The stateToken is of ${labels.state}, the ${name} is of ${labels.other}: they differ in ${differs}.`,
      {
        suggestion:
          `To go on with ${labels.state}, pass the ${name} that came with this stateToken; ` +
          `to go on with ${labels.other}, pass the stateToken that came with this ${name}.`,
        details: {
          differs,
          stateToken: { sessionId: state.sessionId, runId: state.runId, nodeId: state.nodeId },
          [name]: { sessionId: other.sessionId, runId: other.runId, nodeId: other.nodeId },
        },
      },
    ),
  );
}

/** What the store has under a token's node. */
export interface KnownNode {
  readonly runId: RunId;
  readonly workflowHash: WorkflowHash;
}

/** A signed token may still be of a node that is gone, or of a workflow that its run is not pinned to. */
export function checkNode(payload: TokenPayload, node: KnownNode | undefined): Result<void, RailyardError> {
  if (node?.runId !== payload.runId) {
    return err(
      problem('TOKEN_UNKNOWN_NODE', `The node of the ${tokenName(payload.tokenKind)} is not in this store.`, {
        details: { sessionId: payload.sessionId, runId: payload.runId, nodeId: payload.nodeId },
      }),
    );
  }
  if (payload.tokenKind === 'state' && payload.workflowHash !== node.workflowHash) {
    return err(
      problem('TOKEN_WORKFLOW_HASH_MISMATCH', 'The stateToken is of another workflow than its node.', {
        details: { ofToken: payload.workflowHash, ofNode: node.workflowHash },
      }),
    );
  }
  return ok();
}

/** Callers with tokens hear `TOKEN_*` codes on locks and on what a token refers to (locks, section 12); the rest stays. */
export function asTokenProblem(error: RailyardError): RailyardError {
  switch (error.code) {
    case 'SESSION_LOCKED':
      return problem('TOKEN_SESSION_LOCKED', error.message, error.details ? { details: error.details } : {});
    case 'SESSION_NOT_FOUND':
      return problem('TOKEN_UNKNOWN_NODE', error.message, error.details ? { details: error.details } : {});
    default:
      return error;
  }
}
