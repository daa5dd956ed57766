/** Text in a budget of UTF-8 bytes. */

/** What a cut text ends with (locks, section 1). */
export const TRUNCATION_MARKER = '\n\n[TRUNCATED]';

const encoder = new TextEncoder();

/** The length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  // Every code unit takes at least one byte and at most three: most texts need no encoding to be judged.
  return encoder.encode(text).length;
}

/** Whether a text fits; only a text that might not is encoded. */
export function fitsUtf8(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return false;
  return text.length * 3 <= maxBytes || utf8Length(text) <= maxBytes;
}

/** The longest beginning of a text that fits, never ending inside a character. */
export function cutUtf8(text: string, maxBytes: number): string {
  if (fitsUtf8(text, maxBytes)) return text;
  const room = new Uint8Array(Math.max(0, maxBytes));
  // encodeInto writes whole characters only, and says how much of the text it took.
  const { read } = encoder.encodeInto(text, room);
  return text.slice(0, read);
}

/** The text, or as much of its beginning as leaves room for the marker. The result always fits. */
export function truncateUtf8(text: string, maxBytes: number): string {
  if (fitsUtf8(text, maxBytes)) return text;
  return cutUtf8(text, maxBytes - TRUNCATION_MARKER.length) + TRUNCATION_MARKER;
}

/** Text of at most so many UTF-8 bytes and at least one character, for schemas. */
export const isBoundedText = (text: string, maxBytes: number): boolean =>
  text.length > 0 && fitsUtf8(text, maxBytes);
