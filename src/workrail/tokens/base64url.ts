/** base64url without padding (RFC 4648, section 5): one text for each row of bytes, and nothing else is read. */
import { fromBase64, toBase64 } from '../../canonical';

const BASE64URL = /^[A-Za-z0-9_-]*$/;

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes; null where no bytes have this text: a stranger's character, padding, a length or left-over bits that cannot be. */
export function fromBase64Url(text: string): Uint8Array | null {
  if (!BASE64URL.test(text) || text.length % 4 === 1) return null;
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return toBase64Url(bytes) === text ? bytes : null;
}
