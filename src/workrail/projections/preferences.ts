/** Preferences are attached to nodes, so a rewind takes them back (locks, section 4). */
import { DEFAULT_PREFERENCES, type NodeId, type Preferences, type PreferencesChanged } from '../model';
import { type Projection } from '../ports';
import { isInHistory, type RunDag } from './run-dag';

export interface NodePreferences {
  /** The changes at a node, oldest first; only nodes with one are here. */
  readonly byNode: Map<NodeId, PreferencesChanged[]>;
}

export const preferences: Projection<NodePreferences> = {
  name: 'preferences',
  initial: () => ({ byNode: new Map() }),
  apply: ({ byNode }, event) => {
    if (event.kind !== 'preferences_changed') return;
    const changes = byNode.get(event.scope.nodeId) ?? [];
    byNode.set(event.scope.nodeId, changes);
    changes.push(event.data);
  },
};

/**
 * What holds at a node: the last change at the nearest node of its history that has one, else the session's baseline,
 * else the defaults. Looks at the nodes with changes, which are few, not at the history.
 */
export function effectivePreferences(
  dag: RunDag,
  { byNode }: NodePreferences,
  nodeId: NodeId,
  baseline: Preferences = DEFAULT_PREFERENCES,
): Preferences {
  const here = byNode.get(nodeId)?.at(-1);
  if (here) return here.effective;
  const run = dag.runOf.get(nodeId);
  let nearest: { readonly depth: number; readonly effective: Preferences } | null = null;
  for (const [changed, changes] of run ? byNode : []) {
    const node = run?.nodes.get(changed);
    const last = changes.at(-1);
    if (!run || !node || !last || (nearest && node.depth <= nearest.depth)) continue;
    if (isInHistory(run, changed, nodeId)) nearest = { depth: node.depth, effective: last.effective };
  }
  return nearest?.effective ?? baseline;
}
