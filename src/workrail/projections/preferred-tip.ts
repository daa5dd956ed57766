/**
 * The preferred tip of a run (locks, section 2): of its leaves the one whose history was touched last; among those that the
 * same event touched, the one created last (and, since no two are created by one event, the lexical order is never needed).
 *
 * The last event that touched the run decides alone: it has the highest index there is, so every leaf below the node it
 * touched has exactly that last activity, and every other leaf less. No activity is kept per leaf.
 */
import { type EventIndex, type NodeId, type RunId } from '../model';
import { isInHistory, type Run, type RunDag, type RunNode } from './run-dag';

/** A tip and what it is chosen by. */
export interface Tip {
  readonly node: RunNode;
  readonly lastActivity: EventIndex;
}

/** Where a run stands; null: it has no node yet. */
export function preferredTip(run: Run): Tip | null {
  if (!run.activity || run.newest === null) return null;
  const node = run.nodes.get(leafBelow(run, run.activity.at, run.newest));
  return node ? { node, lastActivity: run.activity.eventIndex } : null;
}

/** The same, by the run's id. */
export function tipOfRun(dag: RunDag, runId: RunId): Tip | null {
  const run = dag.runs.get(runId);
  return run ? preferredTip(run) : null;
}

/** The newest leaf that has a place in its history. Only old places of forked runs need the search. */
function leafBelow(run: Run, place: NodeId, newest: NodeId): NodeId {
  if (run.leaves.has(place)) return place;
  if (isInHistory(run, place, newest)) return newest;
  let found = place;
  // In the order of creation: the last one that fits is the newest.
  for (const leaf of run.leaves) if (isInHistory(run, place, leaf)) found = leaf;
  return found;
}
