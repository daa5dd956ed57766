/** What a token says: exactly the locked fields (locks, section 1.2). A token refers to truth and is none. */
import { z } from 'zod';
import { AttemptId, NodeId, RunId, SessionId, WorkflowHash, type EventOf } from '../model';

export const TOKEN_VERSION = 1;

/** The prefix of each kind; both sets are closed. */
export const TOKEN_PREFIXES = { state: 'st', ack: 'ack', checkpoint: 'chk' } as const;
export type TokenKind = keyof typeof TOKEN_PREFIXES;

const place = { tokenVersion: z.literal(TOKEN_VERSION), sessionId: SessionId, runId: RunId, nodeId: NodeId };

export const StatePayload = z.strictObject({
  ...place,
  tokenKind: z.literal('state'),
  workflowHash: WorkflowHash,
});
export type StatePayload = z.infer<typeof StatePayload>;

export const AckPayload = z.strictObject({ ...place, tokenKind: z.literal('ack'), attemptId: AttemptId });
export type AckPayload = z.infer<typeof AckPayload>;

export const CheckpointPayload = z.strictObject({
  ...place,
  tokenKind: z.literal('checkpoint'),
  attemptId: AttemptId,
});
export type CheckpointPayload = z.infer<typeof CheckpointPayload>;

export const TokenPayload = z.discriminatedUnion('tokenKind', [StatePayload, AckPayload, CheckpointPayload]);
export type TokenPayload = z.infer<typeof TokenPayload>;
/** The payload of one kind. */
export type PayloadOf<K extends TokenKind> = Extract<TokenPayload, { tokenKind: K }>;

/** The state token's payload of a node. All it says is in the node's event, so tokens can be minted anew anywhere. */
export const statePayloadOf = ({ sessionId, scope, data }: EventOf<'node_created'>): StatePayload => ({
  tokenVersion: TOKEN_VERSION,
  tokenKind: 'state',
  sessionId,
  runId: scope.runId,
  nodeId: scope.nodeId,
  workflowHash: data.workflowHash,
});

/** How a caller's input names a token of this kind. */
export const tokenName = (kind: TokenKind): string => `${kind}Token`;

/** What makes two acknowledgements, or two checkpoints, the same one: session, run, node and attempt, and nothing else. */
export const idempotencyKey = ({
  sessionId,
  runId,
  nodeId,
  attemptId,
}: AckPayload | CheckpointPayload): string =>
  // None of the ids can hold a slash.
  [sessionId, runId, nodeId, attemptId].join('/');
