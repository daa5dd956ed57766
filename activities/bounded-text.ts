/** Texts of bounded size: they travel through Temporal and stay in its history. */

const MORE = '…';

/** The beginning of a text, in at most so many bytes of UTF-8; no character is split. */
export function head(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  // Through the bytes also where it fits: a lone surrogate has no UTF-8 and could not be kept.
  if (bytes.length <= maxBytes) return bytes.toString();
  let end = maxBytes - Buffer.byteLength(MORE);
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end) + MORE;
}

/** The end of some bytes as text, in at most so many bytes. Bytes that are no UTF-8 are shown as the sign for that. */
export function tail(bytes: Buffer, maxBytes: number): string {
  const text = Buffer.from(bytes.toString());
  if (text.length <= maxBytes) return text.toString();
  let start = text.length - maxBytes + Buffer.byteLength(MORE);
  while (start < text.length && isContinuation(text[start])) start += 1;
  return MORE + text.toString('utf8', start);
}

/** A byte in the middle of a character. */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
