/** Canonical JSON (RFC 8785) and SHA-256 digests: the one way anything here is hashed. */
export { canonicalJson } from './canonical-json';
export { digestOf, isSha256Digest, sha256Digest, sha256Hex, type Sha256Digest } from './digest';
export { findNotJson, MAX_DEPTH, pointerOf, type JsonObject, type JsonValue, type NotJson } from './json';
export { RunningDigest } from './running-digest';
