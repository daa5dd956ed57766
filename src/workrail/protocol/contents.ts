/** Content by address never changes, so what this process has read or written it need not read again. */
import { ok, type Result } from 'neverthrow';
import { digestOf } from '../../canonical';
import { type RailyardError } from '../../errors';
import { type CompiledWorkflow, type ExecutionSnapshot, SnapshotRef, type WorkflowHash } from '../model';
import { type PinnedWorkflowStore, type SnapshotStore } from '../ports';
import { Recent } from './recent';

const MAX_SNAPSHOTS = 512;
const MAX_WORKFLOWS = 64;

/** Snapshots and pinned workflows to read. A workflow stays the same object, which is what the engine knows it by. */
export class Contents {
  readonly #snapshots = new Recent<SnapshotRef, ExecutionSnapshot>(MAX_SNAPSHOTS);
  readonly #workflows = new Recent<WorkflowHash, CompiledWorkflow>(MAX_WORKFLOWS);

  constructor(
    private readonly snapshots: Pick<SnapshotStore, 'get'>,
    private readonly workflows: Pick<PinnedWorkflowStore, 'get'>,
  ) {}

  snapshot(ref: SnapshotRef): Promise<Result<ExecutionSnapshot, RailyardError>> {
    return through(this.#snapshots, ref, () => this.snapshots.get(ref));
  }

  workflow(hash: WorkflowHash): Promise<Result<CompiledWorkflow, RailyardError>> {
    return through(this.#workflows, hash, () => this.workflows.get(hash));
  }

  /** Keep a snapshot that was just appended. */
  remember(snapshot: ExecutionSnapshot): void {
    this.#snapshots.set(addressOf(snapshot), snapshot);
  }
}

const addresses = new WeakMap<ExecutionSnapshot, SnapshotRef>();

/** The address of a snapshot; a snapshot never changes, so it is found once. */
export function addressOf(snapshot: ExecutionSnapshot): SnapshotRef {
  const known = addresses.get(snapshot) ?? digestedOf(snapshot);
  addresses.set(snapshot, known);
  return known;
}

function digestedOf(snapshot: ExecutionSnapshot): SnapshotRef {
  const digest = digestOf(snapshot);
  if (digest.isErr()) throw new Error(`Bug: a snapshot that is not JSON: ${digest.error.reason}`);
  return SnapshotRef.parse(digest.value);
}

async function through<K, V>(
  kept: Recent<K, V>,
  key: K,
  read: () => Promise<Result<V, RailyardError>>,
): Promise<Result<V, RailyardError>> {
  const known = kept.get(key);
  if (known !== undefined) return ok(known);
  const found = await read();
  if (found.isOk()) kept.set(key, found.value);
  return found;
}
