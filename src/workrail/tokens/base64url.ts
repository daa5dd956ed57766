/** base64url without padding (RFC 4648, section 5): one text for each row of bytes, and nothing else is read. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES: ReadonlyMap<string, number> = new Map(
  Array.from(ALPHABET, (character, value) => [character, value]),
);

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += ALPHABET.charAt((held >> bits) & 63);
    }
  }
  return bits === 0 ? text : text + ALPHABET.charAt((held << (6 - bits)) & 63);
}

/** The bytes; null where no bytes have this text: a stranger's character, padding, a length or left-over bits that cannot be. */
export function fromBase64Url(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let held = 0;
  let bits = 0;
  let length = 0;
  for (const character of text) {
    const value = VALUES.get(character);
    if (value === undefined) return null;
    held = ((held << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : null;
}
