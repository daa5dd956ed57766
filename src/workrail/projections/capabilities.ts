/**
 * What is known of capabilities (locks, section 1 and the appendix). A node's own status is its latest observation. What may
 * be relied on is only what was observed strongly: a probe or a use, at the node or anywhere in its history, the latest
 * of them; a claim informs and unlocks nothing, and a branch learns nothing from another branch.
 */
import {
  CAPABILITIES,
  type Capability,
  type CapabilityObserved,
  type CapabilityStatus,
  type EventIndex,
  type NodeId,
} from '../model';
import { type Projection } from '../ports';
import { isInHistory, type RunDag } from './run-dag';

/** One observation. */
export interface Observed extends CapabilityObserved {
  readonly nodeId: NodeId;
  readonly observedAt: EventIndex;
}

export interface Capabilities {
  readonly byNode: Map<NodeId, Map<Capability, Observed>>;
  /** Strong observations of the session, oldest first. */
  readonly strong: Readonly<Record<Capability, Observed[]>>;
}

export const capabilities: Projection<Capabilities> = {
  name: 'capabilities',
  initial: () => ({ byNode: new Map(), strong: { delegation: [], web_browsing: [] } }),
  apply: ({ byNode, strong }, event) => {
    if (event.kind !== 'capability_observed') return;
    const { nodeId } = event.scope;
    const observed: Observed = { ...event.data, nodeId, observedAt: event.eventIndex };
    const ofNode = byNode.get(nodeId) ?? new Map<Capability, Observed>();
    byNode.set(nodeId, ofNode);
    ofNode.set(observed.capability, observed);
    if (observed.provenance.enforcementGrade === 'strong') strong[observed.capability].push(observed);
  },
};

/** The latest observation at a node itself, strong or weak. */
export const observedAtNode = (
  { byNode }: Capabilities,
  nodeId: NodeId,
  capability: Capability,
): Observed | null => byNode.get(nodeId)?.get(capability) ?? null;

/** The latest strong observation in a node's history, its own included. */
export function strongObservation(
  dag: RunDag,
  { strong }: Capabilities,
  nodeId: NodeId,
  capability: Capability,
): Observed | null {
  const run = dag.runOf.get(nodeId);
  if (!run) return null;
  const all = strong[capability];
  for (let i = all.length - 1; i >= 0; i--) {
    const observed = all[i];
    if (observed && isInHistory(run, observed.nodeId, nodeId)) return observed;
  }
  return null;
}

/** What may be relied on at a node, for each capability. */
export function reliableStatus(
  dag: RunDag,
  state: Capabilities,
  nodeId: NodeId,
): Readonly<Record<Capability, CapabilityStatus>> {
  const status = (capability: Capability): CapabilityStatus =>
    strongObservation(dag, state, nodeId, capability)?.status ?? 'unknown';
  // fromEntries forgets which keys it was given; they are exactly the capabilities.
  return Object.fromEntries(CAPABILITIES.map((one) => [one, status(one)])) as Record<
    Capability,
    CapabilityStatus
  >;
}
