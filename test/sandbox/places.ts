/** Folders for one test file, removed at its end, and what a test puts into them. */
import { afterAll } from '@jest/globals';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CompiledArtifact } from '../../src/factory/compile';
import { type ArtifactRef } from '../../src/factory/run-state';
import { capture, ContentStore, openWorkspace, type Workspace } from '../../src/sandbox';

const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A fresh folder, by its real path. */
export function temporary(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'railyard-')));
  made.push(path);
  return path;
}

export interface Place {
  readonly workspace: Workspace;
  readonly store: ContentStore;
  /** Absolute path in the workspace. */
  readonly at: (path: string) => string;
  /** Write files, given by paths in the workspace. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly read: (path: string) => string;
}

/** A workspace and a store, side by side in a fresh folder. */
export function place(): Place {
  const root = temporary();
  const workspace = openWorkspace(join(root, 'workspace'))._unsafeUnwrap();
  const at = (path: string): string => join(workspace.root, path);
  return {
    workspace,
    store: new ContentStore(join(root, 'artifacts')),
    at,
    write: (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), text);
      }
    },
    read: (path) => readFileSync(at(path), 'utf8'),
  };
}

export const fileAt = (path: string): CompiledArtifact => ({ key: 'out', path, format: 'text' });
export const folderAt = (path: string): CompiledArtifact => ({ key: 'out', path, format: 'directory' });

/** Capture what must be capturable. */
export async function captured(
  { store, workspace }: Place,
  artifact: CompiledArtifact,
): Promise<ArtifactRef> {
  const result = await capture(store, workspace, artifact);
  if (result.kind !== 'captured') throw new Error(JSON.stringify(result));
  return result.artifact;
}

/** Every file below a folder with its text; hidden ones too. */
export function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
