import { createHash } from 'node:crypto';
import { type Sha256Digest } from './digest';

/** A digest of text that comes in pieces, and how many UTF-8 bytes they were: nothing is kept of them. */
export class RunningDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  add(text: string): this {
    this.#hash.update(text);
    this.#bytes += Buffer.byteLength(text);
    return this;
  }

  /** To be asked once, at the end. */
  end(): { readonly sha256: Sha256Digest; readonly bytes: number } {
    // The text has the shape the brand promises.
    return { sha256: `sha256:${this.#hash.digest('hex')}` as Sha256Digest, bytes: this.#bytes };
  }
}
