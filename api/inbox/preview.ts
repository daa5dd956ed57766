/** The beginning of an artifact, for a person who decides: text, or nothing. */
import { buffer } from 'node:stream/consumers';
import { hasCode } from '../../src/errno';
import { DIRECTORY, type Listing } from '../../src/sandbox';
import { type ArtifactRef } from '../../src/factory/run-state';
import { slice, type ArtifactShelf } from '../artifacts';

/** So much of an artifact is shown. */
export const PREVIEW_BYTES = 2_048;

/** What is shown of an artifact. */
export interface Preview {
  readonly text: string;
  /** Is there more of it than is shown? */
  readonly cut: boolean;
}

/** The beginning of an artifact; null where it is not text, or not in the store any more. */
export async function previewOf(shelf: ArtifactShelf, artifact: ArtifactRef): Promise<Preview | null> {
  if (artifact.format === DIRECTORY) {
    const listing = await shelf.listing(artifact.digest);
    return listing.isOk() ? listed(listing.value) : null;
  }
  const read = await shelf.store.read(artifact.digest);
  if (read.isErr()) return null;
  const { stream, bytes } = read.value;
  const head = await buffer(slice(stream, 0, PREVIEW_BYTES - 1));
  const text = readable(head, bytes > head.length);
  return text === null ? null : { text, cut: bytes > head.length };
}

/** A directory's files, one a line, as many as fit. */
function listed({ files }: Listing): Preview {
  const lines: string[] = [];
  let left = PREVIEW_BYTES;
  for (const { path } of files) {
    left -= Buffer.byteLength(path) + 1;
    if (left < 0) break;
    lines.push(`${path}\n`);
  }
  return { text: harmless(lines.join('')), cut: lines.length < files.length };
}

/** Bytes as text; null where they are something else. `cut`: the last character may be there in part. */
export function readable(bytes: Uint8Array, cut: boolean): string | null {
  try {
    // With `stream`, an unfinished last character is left out; any other wrong byte throws.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return text.includes('\0') ? null : harmless(text);
  } catch (error) {
    if (hasCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')) return null;
    throw error;
  }
}

/** Without what moves a terminal's cursor or turns the reading direction: a preview reads as it is. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
