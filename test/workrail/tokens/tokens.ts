/** Tokens for tests: arbitrary payloads, and signers with known keys. */
import fc from 'fast-check';
import { AttemptId, NodeId, RunId, SessionId, WorkflowHash } from '../../../src/workrail/model';
import { keyringSigner } from '../../../src/workrail/local';
import { type TokenPayload } from '../../../src/workrail/tokens';

export const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
export const signer = keyringSigner({ current: key(7), previous: null });

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,40}$/);
const hash = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256:${hex}`);

export const payloads: fc.Arbitrary<TokenPayload> = fc
  .record({
    tokenKind: fc.constantFrom('state' as const, 'ack' as const, 'checkpoint' as const),
    sessionId: id.map((text) => SessionId.parse(text)),
    runId: id.map((text) => RunId.parse(text)),
    nodeId: id.map((text) => NodeId.parse(text)),
    workflowHash: hash.map((text) => WorkflowHash.parse(text)),
    attemptId: id.map((text) => AttemptId.parse(text)),
  })
  .map(({ tokenKind, workflowHash, attemptId, ...place }) =>
    tokenKind === 'state'
      ? { tokenVersion: 1, tokenKind, ...place, workflowHash }
      : { tokenVersion: 1, tokenKind, ...place, attemptId },
  );

export const state = {
  tokenVersion: 1,
  tokenKind: 'state',
  sessionId: SessionId.parse('sess_a'),
  runId: RunId.parse('run_a'),
  nodeId: NodeId.parse('node_a'),
  workflowHash: WorkflowHash.parse(`sha256:${'a'.repeat(64)}`),
} as const;

export const ack = {
  tokenVersion: 1,
  tokenKind: 'ack',
  sessionId: state.sessionId,
  runId: state.runId,
  nodeId: state.nodeId,
  attemptId: AttemptId.parse('attempt_a'),
} as const;

export const checkpoint = { ...ack, tokenKind: 'checkpoint' } as const;
