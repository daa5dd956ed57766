/** What the use cases need. Whoever only reads gets `Reading`, in which there is nothing to write with. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import {
  type ArtifactStore,
  type Minting,
  type PinnedWorkflowStore,
  type SessionReader,
  type SessionStore,
  type SnapshotStore,
  type TokenSigner,
} from '../ports';
import { type Contents } from './contents';
import { type WorkflowCatalog } from './protocol';
import { type Steward } from './steward';

/** The keys as they are now: asked for at each call, so that a rotation by another process counts at once. */
export type CurrentSigner = () => Promise<Result<TokenSigner, RailyardError>>;

/** What the protocol stands on: a store, the keys of its tokens, and where workflows come from. */
export interface ProtocolPorts {
  readonly sessions: SessionStore;
  readonly snapshots: SnapshotStore;
  readonly workflows: PinnedWorkflowStore;
  readonly artifacts: ArtifactStore;
  readonly minting: Minting;
  readonly catalog: WorkflowCatalog;
  readonly signer: CurrentSigner;
  /** Of sessions that a factory runs together with agents; absent: there are none. */
  readonly steward?: Steward;
}

/** For rehydrating and resuming: no durable truth can be made with these (locks, section 1.2). */
export interface Reading {
  readonly sessions: SessionReader;
  readonly contents: Contents;
  readonly catalog: WorkflowCatalog;
  readonly signer: CurrentSigner;
  readonly minting: Pick<Minting, 'attemptId'>;
  readonly steward: Pick<Steward, 'at' | 'open'>;
}

/** For starting, advancing and checkpoints. */
export interface Writing extends Reading {
  readonly sessions: SessionStore;
  readonly workflows: PinnedWorkflowStore;
  readonly artifacts: ArtifactStore;
  readonly minting: Minting;
  readonly steward: Steward;
}
