/**
 * Branded identifiers (locks, section 1): a run id cannot be passed where a node id is meant. Make one by parsing text
 * with its schema; the store and the planners mint them in lower case, so that they fit into dedupe keys as they are.
 */
import { z } from 'zod';

/** Safe as a file name and in a token. Ids of other producers may have capitals and dots; ours have neither. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
/** Safe inside a StepInstanceKey without escaping: no `@`, `/`, `:` (locks, sections 1 and 9). */
export const DELIMITER_SAFE = /^[a-z0-9_-]+$/;
/** `sha256:` and 64 lowercase hex digits (locks, section 11). */
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Long enough for any id an author writes, short enough for a blocker's pointer. */
const MAX_SAFE_ID_LENGTH = 128;

const id = () => z.string().regex(ID);
const digest = () => z.string().regex(DIGEST);
const index = () => z.int().nonnegative();

/** A session: one event log. */
export const SessionId = id().brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;
/** A run of one pinned workflow in a session. */
export const RunId = id().brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;
/** A node of a run's DAG. */
export const NodeId = id().brand<'NodeId'>();
export type NodeId = z.infer<typeof NodeId>;
/** One committed event; minted for each append and never part of a dedupe key. */
export const EventId = id().brand<'EventId'>();
export type EventId = z.infer<typeof EventId>;
/** One attempt to advance from a node: what makes a retry the same attempt. */
export const AttemptId = id().brand<'AttemptId'>();
export type AttemptId = z.infer<typeof AttemptId>;
/** One output of a node. */
export const OutputId = id().brand<'OutputId'>();
export type OutputId = z.infer<typeof OutputId>;
/** One disclosed gap. */
export const GapId = id().brand<'GapId'>();
export type GapId = z.infer<typeof GapId>;
/** One change of preferences. */
export const ChangeId = id().brand<'ChangeId'>();
export type ChangeId = z.infer<typeof ChangeId>;
/** One observation of a capability. */
export const CapabilityObservationId = id().brand<'CapabilityObservationId'>();
export type CapabilityObservationId = z.infer<typeof CapabilityObservationId>;
/** One divergence from the script. */
export const DivergenceId = id().brand<'DivergenceId'>();
export type DivergenceId = z.infer<typeof DivergenceId>;
/** One decision trace. */
export const TraceId = id().brand<'TraceId'>();
export type TraceId = z.infer<typeof TraceId>;
/** One setting of a run's context. */
export const ContextId = id().brand<'ContextId'>();
export type ContextId = z.infer<typeof ContextId>;
/** One exported bundle. */
export const BundleId = id().brand<'BundleId'>();
export type BundleId = z.infer<typeof BundleId>;

/** Any sha256 digest. */
export const Digest = digest().brand<'Digest'>();
export type Digest = z.infer<typeof Digest>;
/** The content address of an execution snapshot. */
export const SnapshotRef = digest().brand<'SnapshotRef'>();
export type SnapshotRef = z.infer<typeof SnapshotRef>;
/** The content address of a compiled workflow: what a run is pinned to. */
export const WorkflowHash = digest().brand<'WorkflowHash'>();
export type WorkflowHash = z.infer<typeof WorkflowHash>;

/** The place of an event in its session, from 0: the only order there is. */
export const EventIndex = index().brand<'EventIndex'>();
export type EventIndex = z.infer<typeof EventIndex>;
/** The place of a record in a session's manifest, from 0. */
export const ManifestIndex = index().brand<'ManifestIndex'>();
export type ManifestIndex = z.infer<typeof ManifestIndex>;

/** A workflow's id as `run_started` records it; whether it is namespaced is the compiler's question. */
export const WorkflowId = z.string().min(1).max(256).brand<'WorkflowId'>();
export type WorkflowId = z.infer<typeof WorkflowId>;
/** The id of a step of a compiled workflow. */
export const StepId = z.string().max(MAX_SAFE_ID_LENGTH).regex(DELIMITER_SAFE).brand<'StepId'>();
export type StepId = z.infer<typeof StepId>;
/** The id of a loop of a compiled workflow. */
export const LoopId = z.string().max(MAX_SAFE_ID_LENGTH).regex(DELIMITER_SAFE).brand<'LoopId'>();
export type LoopId = z.infer<typeof LoopId>;
/** The id of a condition of a compiled workflow. */
export const ConditionId = z.string().max(MAX_SAFE_ID_LENGTH).regex(DELIMITER_SAFE).brand<'ConditionId'>();
export type ConditionId = z.infer<typeof ConditionId>;
/** A contract pack (`wr.contracts.*`), or the pointer of a block's own contract. */
export const ContractRef = z.string().min(1).max(MAX_SAFE_ID_LENGTH).brand<'ContractRef'>();
export type ContractRef = z.infer<typeof ContractRef>;
