import { describe, expect, it } from '@jest/globals';
import { ERRORS, problem, type RailyardError } from '../../../src/errors';
import { keyringSigner } from '../../../src/workrail/local';
import { NodeId, RunId, SessionId, WorkflowHash } from '../../../src/workrail/model';
import { asTokenProblem, checkNode, checkPair, decodeToken, encodeToken } from '../../../src/workrail/tokens';
import { ack, key, signer, state } from './tokens';

const labels = { state: '"Fix the login" at step triage', other: '"Write the docs" at step outline' };
const node = { runId: state.runId, workflowHash: state.workflowHash };

describe('two tokens of one call', () => {
  it('pass when they are of one place', () => {
    expect(checkPair(state, ack, labels).isOk()).toBe(true);
  });

  it.each([
    ['sessionId', { ...ack, sessionId: SessionId.parse('sess_b') }],
    ['runId', { ...ack, runId: RunId.parse('run_b') }],
    ['nodeId', { ...ack, nodeId: NodeId.parse('node_b') }],
  ])('are TOKEN_SCOPE_MISMATCH when their %s differs, and both places are named', (field, other) => {
    const error = checkPair(state, other, labels)._unsafeUnwrapErr();
    expect(error.code).toBe('TOKEN_SCOPE_MISMATCH');
    expect(error.details).toMatchObject({ differs: field });
    for (const text of [error.message, error.suggestion]) {
      expect(text).toContain(labels.state);
      expect(text).toContain(labels.other);
    }
  });
});

describe('a token whose signature is right', () => {
  it('passes at the node it is of', () => {
    expect(checkNode(state, node).isOk()).toBe(true);
    expect(checkNode(ack, node).isOk()).toBe(true);
  });

  it('is TOKEN_UNKNOWN_NODE where the store has no such node', () => {
    expect(checkNode(state, undefined)._unsafeUnwrapErr().code).toBe('TOKEN_UNKNOWN_NODE');
  });

  it('is TOKEN_UNKNOWN_NODE where the node is of another run', () => {
    const elsewhere = { ...node, runId: RunId.parse('run_b') };
    expect(checkNode(ack, elsewhere)._unsafeUnwrapErr().code).toBe('TOKEN_UNKNOWN_NODE');
  });

  it('is TOKEN_WORKFLOW_HASH_MISMATCH where the node is of another workflow', () => {
    const changed = { ...node, workflowHash: WorkflowHash.parse(`sha256:${'b'.repeat(64)}`) };
    expect(checkNode(state, changed)._unsafeUnwrapErr().code).toBe('TOKEN_WORKFLOW_HASH_MISMATCH');
  });
});

describe('a problem of the store, for a caller with tokens', () => {
  it('is TOKEN_SESSION_LOCKED for a lock, and as retryable', () => {
    const error = asTokenProblem(problem('SESSION_LOCKED', 'The session sess_a is in use.'));
    expect(error).toMatchObject({ code: 'TOKEN_SESSION_LOCKED', message: 'The session sess_a is in use.' });
    expect(error.retry).toEqual(ERRORS.SESSION_LOCKED.retry);
  });

  it('is TOKEN_UNKNOWN_NODE for a session that is gone', () => {
    expect(asTokenProblem(problem('SESSION_NOT_FOUND', 'gone')).code).toBe('TOKEN_UNKNOWN_NODE');
  });

  it('stays what it is otherwise', () => {
    const error = problem('SESSION_CORRUPT', 'damaged');
    expect(asTokenProblem(error)).toBe(error);
  });
});

it('[token-validation-errors-closed-set] there are seven token codes, and each one is produced', () => {
  const [text, stranger] = [encodeToken(state, signer), keyringSigner({ current: key(9), previous: null })];
  const produced: RailyardError[] = [
    decodeToken('state', 'no token', signer)._unsafeUnwrapErr(),
    decodeToken('state', text.replace('v1', 'v9'), signer)._unsafeUnwrapErr(),
    decodeToken('state', text, stranger)._unsafeUnwrapErr(),
    checkPair(state, { ...ack, nodeId: NodeId.parse('other') }, labels)._unsafeUnwrapErr(),
    checkNode(state, undefined)._unsafeUnwrapErr(),
    checkNode(state, {
      ...node,
      workflowHash: WorkflowHash.parse(`sha256:${'0'.repeat(64)}`),
    })._unsafeUnwrapErr(),
    asTokenProblem(problem('SESSION_LOCKED', 'busy')),
  ];
  const codes = Object.keys(ERRORS).filter((code) => code.startsWith('TOKEN_'));
  expect(new Set(produced.map(({ code }) => code))).toEqual(new Set(codes));
  expect(codes).toHaveLength(7);
});
