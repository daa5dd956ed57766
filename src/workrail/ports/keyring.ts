import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';

/** Two signing keys at most, 32 bytes each (locks, section 1.2). */
export interface Keyring {
  readonly current: Uint8Array;
  readonly previous: Uint8Array | null;
}

/** The keys of one data directory, shared by its processes. */
export interface KeyringStore {
  /** The keys; a new data directory gets its first one. */
  read(): Promise<Result<Keyring, RailyardError>>;
  /** Current becomes previous, a fresh key becomes current. */
  rotate(): Promise<Result<Keyring, RailyardError>>;
}

/** The signature of a token's payload. */
export interface TokenSigner {
  /** HMAC-SHA256 with the current key. */
  sign(payload: Uint8Array): Uint8Array;
  /** Whether the current key, or else the previous one, made it; compared in constant time. */
  verify(payload: Uint8Array, signature: Uint8Array): boolean;
}
