/** A data directory for a test, and what can be seen of its store from outside. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Scratch {
  readonly root = mkdtempSync(join(tmpdir(), 'railyard-mcp-'));

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** The sessions there are. */
  sessions(): string[] {
    return readdirSync(join(this.root, 'workrail', 'sessions')).sort();
  }

  /** How many bytes of manifests have been written, in all sessions. */
  manifestBytes(): number {
    const folder = join(this.root, 'workrail', 'sessions');
    return this.sessions().reduce((sum, one) => sum + sizeOf(join(folder, one, 'manifest.jsonl')), 0);
  }

  /** The events of a kind in the only session. */
  events(kind: string): Record<string, unknown>[] {
    const [session = ''] = this.sessions();
    const folder = join(this.root, 'workrail', 'sessions', session, 'events');
    return readdirSync(folder)
      .sort()
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((event) => event.kind === kind);
  }

  /** A digest of every file below the data directory, with its name. */
  fingerprint(): string {
    const hash = createHash('sha256');
    const visit = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      )) {
        const path = join(folder, entry.name);
        hash.update(`${path}\n`);
        if (entry.isDirectory()) visit(path);
        else hash.update(readFileSync(path));
      }
    };
    visit(this.root);
    return hash.digest('hex');
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
