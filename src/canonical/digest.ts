import { createHash } from 'node:crypto';
import { type Result } from 'neverthrow';
import { canonicalJson } from './canonical-json';
import { type NotJson } from './json';

declare const digest: unique symbol;

/** `sha256:` and 64 lowercase hex digits. */
export type Sha256Digest = string & { readonly [digest]: true };

/** SHA-256 as 64 lowercase hex digits; a string is hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The digest of bytes, or of a string's UTF-8. */
export function sha256Digest(data: string | Uint8Array): Sha256Digest {
  // The brand's one maker besides the guard below: the text has the shape the brand promises.
  return `sha256:${sha256Hex(data)}` as Sha256Digest;
}

/** Whether a text is a digest as we write them. */
export function isSha256Digest(text: string): text is Sha256Digest {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** The digest of a value's canonical JSON. */
export function digestOf(value: unknown): Result<Sha256Digest, NotJson> {
  return canonicalJson(value).map(sha256Digest);
}

const encoder = new TextEncoder();

/** A digest of text that comes in pieces, and how many UTF-8 bytes they were: nothing is kept of them. */
export class RunningDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  add(text: string): this {
    const bytes = encoder.encode(text);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    return this;
  }

  /** To be asked once, at the end. */
  end(): { readonly sha256: Sha256Digest; readonly bytes: number } {
    // The text has the shape the brand promises.
    return { sha256: `sha256:${this.#hash.digest('hex')}` as Sha256Digest, bytes: this.#bytes };
  }
}
