/** The integrity of a bundle: a digest for each part, over its canonical JSON (locks, section 1.3). */
import { RunningDigest } from '../../canonical';
import { Digest, type IntegrityEntry } from '../model';
import { type Faults } from './fault';

/** The digest of an array whose elements come one by one, each as canonical JSON. */
export class ArrayDigest {
  readonly #digest = new RunningDigest().add('[');
  #empty = true;

  add(canonical: string): void {
    if (!this.#empty) this.#digest.add(',');
    this.#empty = false;
    this.#digest.add(canonical);
  }

  entry(path: string): IntegrityEntry {
    return entryOf(path, this.#digest.add(']'));
  }
}

/** The entry of a value, from its canonical JSON. */
export const valueEntry = (path: string, canonical: string): IntegrityEntry =>
  entryOf(path, new RunningDigest().add(canonical));

function entryOf(path: string, digest: RunningDigest): IntegrityEntry {
  const { sha256, bytes } = digest.end();
  return { path, sha256: Digest.parse(sha256), bytes };
}

/** Hold what a bundle lists against what was found in it. Every part must be listed, and every listed part must be there. */
export function checkEntries(
  listed: readonly IntegrityEntry[],
  found: ReadonlyMap<string, IntegrityEntry>,
  faults: Faults,
): void {
  const seen = new Set<string>();
  for (const { path, sha256, bytes } of listed) {
    const part = found.get(path);
    if (seen.has(path)) faults.note('integrity', path, 'is listed twice in its integrity');
    else if (!part) faults.note('integrity', path, 'is listed in its integrity and not in the bundle');
    else if (part.bytes !== bytes) {
      faults.note('integrity', path, `has ${part.bytes} bytes of canonical JSON, and ${bytes} are attested`);
    } else if (part.sha256 !== sha256) {
      faults.note('integrity', path, 'is not what its integrity attests');
    }
    seen.add(path);
  }
  for (const path of found.keys()) {
    if (!seen.has(path)) faults.note('integrity', path, 'is not listed in its integrity');
  }
}
