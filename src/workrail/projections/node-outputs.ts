/** What nodes have put out, by channel; what is current is derived from supersession (locks, sections 1 and 2.1). */
import {
  type EventIndex,
  type EventOf,
  type NodeId,
  type NodeOutput,
  type OutputChannel,
  type OutputId,
} from '../model';
import { type Projection } from '../ports';

/** One recorded output. */
export type RecordedOutput = NodeOutput & { readonly createdAt: EventIndex };
/** An artifact that a node refers to. */
export type RecordedArtifact = Extract<NodeOutput['payload'], { payloadKind: 'artifact_ref' }> & {
  readonly outputId: OutputId;
  readonly createdAt: EventIndex;
};

/** One channel of one node. */
export interface ChannelOutputs {
  /** Every one there was, in their order. */
  readonly history: Map<OutputId, RecordedOutput>;
  /** Those that no later one of the same node and channel supersedes, in their order. */
  readonly current: Map<OutputId, RecordedOutput>;
  /** The last one; nothing came after it that could supersede it, so it is the channel's current output. */
  last: RecordedOutput | null;
}

export interface NodeOutputs {
  readonly byNode: Map<NodeId, Readonly<Record<OutputChannel, ChannelOutputs>>>;
}

export const nodeOutputs: Projection<NodeOutputs> = {
  name: 'node_outputs',
  initial: () => ({ byNode: new Map() }),
  apply: (state, event) => {
    if (event.kind === 'node_output_appended') add(state, event);
  },
};

/** Every output of a node's channel that stands, oldest first. */
export function currentOutputs(
  { byNode }: NodeOutputs,
  nodeId: NodeId,
  channel: OutputChannel,
): readonly RecordedOutput[] {
  return [...(byNode.get(nodeId)?.[channel].current.values() ?? [])];
}

/** The current output of a channel: the latest that is not superseded. */
export const currentOutput = (
  { byNode }: NodeOutputs,
  nodeId: NodeId,
  channel: OutputChannel,
): RecordedOutput | null => byNode.get(nodeId)?.[channel].last ?? null;

/** A node's current recap notes. */
export function currentNotes(state: NodeOutputs, nodeId: NodeId): string | null {
  const output = currentOutput(state, nodeId, 'recap');
  return output?.payload.payloadKind === 'notes' ? output.payload.notesMarkdown : null;
}

/** The artifacts of a node that stand, in the order they were appended. */
export function currentArtifacts(state: NodeOutputs, nodeId: NodeId): readonly RecordedArtifact[] {
  return currentOutputs(state, nodeId, 'artifact').flatMap(({ outputId, payload, createdAt }) =>
    payload.payloadKind === 'artifact_ref' ? [{ ...payload, outputId, createdAt }] : [],
  );
}

function add(
  { byNode }: NodeOutputs,
  { scope: { nodeId }, data, eventIndex }: EventOf<'node_output_appended'>,
): void {
  const channels = byNode.get(nodeId) ?? { recap: channel(), artifact: channel() };
  byNode.set(nodeId, channels);
  const ofChannel = channels[data.outputChannel];
  const output: RecordedOutput = { ...data, createdAt: eventIndex };
  ofChannel.history.set(data.outputId, output);
  ofChannel.last = output;
  // Only an earlier output of this node and channel is there to be taken away.
  if (data.supersedesOutputId !== undefined) ofChannel.current.delete(data.supersedesOutputId);
  ofChannel.current.set(data.outputId, output);
}

const channel = (): ChannelOutputs => ({ history: new Map(), current: new Map(), last: null });
