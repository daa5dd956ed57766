import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** JSON as every artifact has it: two spaces, keys in the order they were set, one newline at the end. */
export function stableJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Byte order, so that no locale changes an artifact. */
export function byteOrder(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Empties a directory and keeps it: the runtime may have mounted it. */
export function emptyDirectory(path) {
  mkdirSync(path, { recursive: true });
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
  return path;
}

/** Writes a file inside a directory artifact, making the folders between. */
export function writeInto(directory, name, text) {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every regular file below a directory, as names relative to it with forward slashes, in byte order. */
export function listFiles(directory, prefix = '') {
  const names = [];
  for (const entry of readdirSync(join(directory, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) names.push(...listFiles(directory, name));
    else if (entry.isFile()) names.push(name);
  }
  return names.sort(byteOrder);
}

export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

export function fileDigest(path) {
  return `sha256:${sha256(readFileSync(path))}`;
}

/** Two decimals are all that a reader of these artifacts can use. */
export function round(value, digits = 2) {
  const scale = 10 ** digits;
  return Math.round((value + Number.EPSILON) * scale) / scale;
}

export function percent(part, whole) {
  return whole === 0 ? 0 : round((100 * part) / whole, 1);
}

/** One digest for a directory: over the names and the digests of its files, in byte order. */
export function directoryDigest(directory) {
  const lines = listFiles(directory).map((name) => `${fileDigest(join(directory, name))}  ${name}\n`);
  return `sha256:${sha256(lines.join(''))}`;
}
