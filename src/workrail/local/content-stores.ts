/** The content stores of a data directory, behind their ports. */
import { err, ok } from 'neverthrow';
import { sha256Digest } from '../../canonical';
import { problem } from '../../errors';
import { ContentStore } from '../../sandbox';
import {
  Digest,
  readCompiledWorkflow,
  readSnapshot,
  type CompiledWorkflow,
  type ExecutionSnapshot,
  type SnapshotRef,
  type WorkflowHash,
} from '../model';
import { type ArtifactStore, type PinnedWorkflowStore, type SnapshotStore } from '../ports';
import { JsonContent } from './content';
import { guarded } from './failure';
import { type FileSystem } from './file-system';
import { type Layout } from './layout';

export type Snapshots = JsonContent<ExecutionSnapshot, SnapshotRef>;
export type Workflows = JsonContent<CompiledWorkflow, WorkflowHash>;

export const snapshotsIn = (fs: FileSystem, layout: Layout): Snapshots =>
  new JsonContent(fs, layout.snapshots(), {
    name: 'snapshot',
    missing: 'STORE_SNAPSHOT_MISSING',
    corrupt: 'STORE_SNAPSHOT_CORRUPT',
    read: readSnapshot,
  });

export const workflowsIn = (fs: FileSystem, layout: Layout): Workflows =>
  new JsonContent(fs, layout.workflows(), {
    name: 'pinned workflow',
    missing: 'STORE_WORKFLOW_MISSING',
    corrupt: 'STORE_WORKFLOW_CORRUPT',
    read: readCompiledWorkflow,
  });

export const snapshotStore = (content: Snapshots): SnapshotStore => ({
  put: (snapshot) => content.put(snapshot),
  get: (ref) => Promise.resolve(content.get(ref)),
});

export const workflowStore = (content: Workflows): PinnedWorkflowStore => ({
  put: (workflow) => content.put(workflow),
  get: (hash) => Promise.resolve(content.get(hash)),
});

/** Artifacts are where those of the factory's blocks are: one blob for one content. */
export const artifactsIn = (layout: Layout): ContentStore => new ContentStore(layout.artifacts());

/** The size of an artifact after every byte of it was read; null: it is not there, or not as its digest has it. */
export async function wholeBytes(blobs: ContentStore, digest: string): Promise<number | null> {
  return (await blobs.verify(digest)).match(
    ({ bytes }) => bytes,
    () => null,
  );
}

export function artifactStore(blobs: ContentStore): ArtifactStore {
  return {
    put: (bytes) =>
      guarded('writing an artifact', async () => ok(Digest.parse((await blobs.putBytes(bytes)).digest))),
    get: (digest) =>
      guarded('reading an artifact', async () => {
        const blob = await blobs.read(digest);
        if (blob.isErr()) return err(blob.error);
        const pieces: Uint8Array[] = [];
        // A read stream without an encoding yields bytes.
        for await (const piece of blob.value.stream) pieces.push(piece as Uint8Array);
        const bytes = Buffer.concat(pieces);
        return sha256Digest(bytes) === (digest as string)
          ? ok(bytes)
          : err(
              problem('INTERNAL', `The artifact ${digest} is damaged in the artifact store.`, {
                details: { digest },
              }),
            );
      }),
  };
}
