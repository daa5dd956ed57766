/** Base64 of bytes, by what every JavaScript runtime has. */

/** So many characters go into one call; a call takes its characters as arguments, and their number is limited. */
const CHUNK = 8_190;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // A multiple of three: each chunk's base64 stands on its own.
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return text;
}

/** The bytes of base64 that has been seen to be base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
}
