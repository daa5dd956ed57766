import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import {
  type CompiledWorkflow,
  type Digest,
  type ExecutionSnapshot,
  type SnapshotRef,
  type WorkflowHash,
} from '../model';

/** Snapshots by content address: immutable, shared by all sessions, re-hashed when read. */
export interface SnapshotStore {
  put(snapshot: ExecutionSnapshot): Promise<Result<SnapshotRef, RailyardError>>;
  get(ref: SnapshotRef): Promise<Result<ExecutionSnapshot, RailyardError>>;
}

/** Compiled workflows by their hash: what a run is pinned to stays, whatever happens to the source. */
export interface PinnedWorkflowStore {
  put(workflow: CompiledWorkflow): Promise<Result<WorkflowHash, RailyardError>>;
  get(hash: WorkflowHash): Promise<Result<CompiledWorkflow, RailyardError>>;
}

/** Artifact bytes by digest, as outputs refer to them. */
export interface ArtifactStore {
  put(bytes: Uint8Array): Promise<Result<Digest, RailyardError>>;
  get(digest: Digest): Promise<Result<Uint8Array, RailyardError>>;
}
