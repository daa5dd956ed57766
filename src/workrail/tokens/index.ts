/** Tokens: signed references to nodes, as callers hold them. Pure; the keys are behind a port. */
export { fromBase64Url, toBase64Url } from './base64url';
export { asTokenProblem, checkNode, checkPair, type KnownNode, type PairLabels } from './check';
export { decodeToken, encodeToken } from './codec';
export {
  AckPayload,
  CheckpointPayload,
  idempotencyKey,
  StatePayload,
  statePayloadOf,
  TOKEN_PREFIXES,
  TOKEN_VERSION,
  tokenName,
  TokenPayload,
  type PayloadOf,
  type TokenKind,
} from './payload';
