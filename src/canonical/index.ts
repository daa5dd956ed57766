/** Canonical JSON (RFC 8785) and SHA-256 digests: the one way anything here is hashed. */
export { fromBase64, toBase64 } from './base64';
export { canonicalJson } from './canonical-json';
export {
  digestOf,
  isSha256Digest,
  RunningDigest,
  sha256Digest,
  sha256Hex,
  type Sha256Digest,
} from './digest';
export { findNotJson, MAX_DEPTH, pointerOf, type JsonObject, type JsonValue, type NotJson } from './json';
