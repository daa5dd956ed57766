/**
 * What the events of a session refer to, and whether they may (locks, section 1). A plan is checked on a draft above the
 * session's own; only what was written goes into that.
 */
import { type DomainEvent, type EventOf, type NodeKind } from '../model';

interface Node {
  readonly parent: string | null;
  readonly kind: NodeKind;
}

interface Output {
  readonly node: string;
  readonly channel: string;
}

export class Links {
  private readonly runs = new Map<string, string>();
  private readonly roots = new Set<string>();
  private readonly nodes = new Map<string, Node>();
  private readonly outputs = new Map<string, Output>();
  private readonly eventIds = new Set<string>();

  constructor(private readonly below: Links | null = null) {}

  /** What is wrong with new events, in words; null: nothing. */
  static fault(committed: Links, events: readonly DomainEvent[]): string | null {
    const draft = new Links(committed);
    for (const event of events) {
      const fault = draft.definitionFault(event);
      if (fault !== null) return faultAt(event, fault);
      draft.add(event);
    }
    // An advance stands before the node it leads to: what refers to nodes is judged when all of them are known.
    for (const event of events) {
      const fault = draft.referenceFault(event);
      if (fault !== null) return faultAt(event, fault);
    }
    return null;
  }

  /** Take in a committed event. */
  add(event: DomainEvent): void {
    this.eventIds.add(event.eventId);
    if (event.kind === 'run_started') this.runs.set(event.scope.runId, event.data.workflowHash);
    if (event.kind === 'node_created') {
      const { parentNodeId: parent, nodeKind: kind } = event.data;
      this.nodes.set(nodeKey(event.scope), { parent, kind });
      if (parent === null) this.roots.add(event.scope.runId);
    }
    if (event.kind === 'node_output_appended') {
      const { outputId, outputChannel: channel } = event.data;
      this.outputs.set(outputId, { node: nodeKey(event.scope), channel });
    }
  }

  private definitionFault(event: DomainEvent): string | null {
    if ((event.eventIndex === 0) !== (event.kind === 'session_created')) {
      return 'the first event of a session, and only the first, is session_created';
    }
    if (this.hasEvent(event.eventId)) return `the event id ${event.eventId} is taken`;
    switch (event.kind) {
      case 'run_started':
        return this.hashOf(event.scope.runId) === undefined ? null : 'the run has started already';
      case 'node_created':
        return this.nodeFault(event);
      case 'node_output_appended':
        return this.outputFault(event);
      default:
        return null;
    }
  }

  private nodeFault({ scope, data }: EventOf<'node_created'>): string | null {
    const hash = this.hashOf(scope.runId);
    if (hash === undefined) return `the run ${scope.runId} has not started`;
    if (hash !== data.workflowHash) return 'its workflowHash is not the one its run is pinned to';
    if (this.node(scope.runId, scope.nodeId)) return 'the node is there already';
    if (data.parentNodeId === null) return this.hasRoot(scope.runId) ? 'the run has a root already' : null;
    return this.node(scope.runId, data.parentNodeId) ? null : 'its parent is no node of this run';
  }

  private outputFault({ scope, data }: EventOf<'node_output_appended'>): string | null {
    if (this.output(data.outputId)) return `the output ${data.outputId} is there already`;
    if (data.supersedesOutputId === undefined) return null;
    const earlier = this.output(data.supersedesOutputId);
    const fits = earlier?.node === nodeKey(scope) && earlier.channel === data.outputChannel;
    return fits ? null : 'it supersedes no output of its own node and channel';
  }

  private referenceFault(event: DomainEvent): string | null {
    if (event.scope === undefined) return null;
    const { runId, nodeId } = event.scope;
    if (this.hashOf(runId) === undefined) return `the run ${runId} has not started`;
    if (nodeId !== undefined && !this.node(runId, nodeId)) return `${nodeId} is no node of the run`;
    if (event.kind === 'edge_created') return this.edgeFault(event);
    if (event.kind !== 'advance_recorded' || event.data.outcome.kind !== 'advanced') return null;
    const { toNodeId } = event.data.outcome;
    return this.node(runId, toNodeId) ? null : `${toNodeId} is no node of the run`;
  }

  private edgeFault({ scope: { runId }, data }: EventOf<'edge_created'>): string | null {
    const [from, to] = [this.node(runId, data.fromNodeId), this.node(runId, data.toNodeId)];
    if (!from || !to) return 'an edge is between two nodes of its run';
    if (to.parent !== data.fromNodeId) return 'an edge leads from the parent of the node it leads to';
    if (data.edgeKind === 'checkpoint' && to.kind !== 'checkpoint') return 'its end is no checkpoint';
    return this.hasEvent(data.cause.eventId) ? null : 'its cause is no event of this session';
  }

  private hashOf(runId: string): string | undefined {
    return this.runs.get(runId) ?? this.below?.hashOf(runId);
  }

  private hasRoot(runId: string): boolean {
    return this.roots.has(runId) || (this.below?.hasRoot(runId) ?? false);
  }

  private node(runId: string, nodeId: string): Node | undefined {
    return this.nodes.get(nodeKey({ runId, nodeId })) ?? this.below?.node(runId, nodeId);
  }

  private output(outputId: string): Output | undefined {
    return this.outputs.get(outputId) ?? this.below?.output(outputId);
  }

  private hasEvent(eventId: string): boolean {
    return this.eventIds.has(eventId) || (this.below?.hasEvent(eventId) ?? false);
  }
}

/** A slash is in no id. */
const nodeKey = ({ runId, nodeId }: { readonly runId: string; readonly nodeId: string }): string =>
  `${runId}/${nodeId}`;

const faultAt = ({ kind, dedupeKey }: DomainEvent, fault: string): string =>
  `${kind} (${dedupeKey}): ${fault}`;
