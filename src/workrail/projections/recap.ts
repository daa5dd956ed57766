/**
 * What was noted along a branch, in a budget: the most recent notes are kept, the rest is counted. Notes of a checkpoint
 * belong to the place it marks, so they are read with it.
 */
import { truncateUtf8, TRUNCATION_MARKER, utf8Length, type NodeId } from '../model';
import { currentNotes } from './node-outputs';
import { historyOf, isInHistory, type Run, type RunNode } from './run-dag';
import { type SessionView } from './session-view';

/** Notes of one node. */
export interface Note {
  readonly nodeId: NodeId;
  readonly notesMarkdown: string;
}

export interface Recap {
  /** Oldest first. The oldest may be cut and then ends with the marker; together they fit the budget. */
  readonly notes: readonly Note[];
  /** How many older ones had no room. */
  readonly omitted: number;
}

type Noted = Pick<SessionView, 'dag' | 'outputs'>;

/** What led to a node: the notes of its history, its own included. */
export function ancestryRecap(view: Noted, nodeId: NodeId, maxBytes: number): Recap {
  const run = view.dag.runOf.get(nodeId);
  return run ? fit(notesOf(view, run, historyOf(run, nodeId)), maxBytes) : NOTHING;
}

/** What came after a node on the way to a later one, that one included; nothing where it is on another branch. */
export function downstreamRecap(view: Noted, from: NodeId, to: NodeId, maxBytes: number): Recap {
  const run = view.dag.runOf.get(to);
  if (!run || !isInHistory(run, from, to)) return NOTHING;
  return fit(notesOf(view, run, until(historyOf(run, to), from)), maxBytes);
}

const NOTHING: Recap = { notes: [], omitted: 0 };

function* until(nodes: Iterable<RunNode>, end: NodeId): Generator<RunNode> {
  for (const node of nodes) {
    if (node.nodeId === end) return;
    yield node;
  }
}

/** Newest first. */
function* notesOf({ outputs }: Noted, run: Run, path: Iterable<RunNode>): Generator<Note> {
  let below: NodeId | null = null;
  for (const node of path) {
    const marks = node.children.filter(
      (child) => child !== below && run.nodes.get(child)?.nodeKind === 'checkpoint',
    );
    for (const nodeId of [...marks.reverse(), node.nodeId]) {
      const notesMarkdown = currentNotes(outputs, nodeId);
      if (notesMarkdown !== null) yield { nodeId, notesMarkdown };
    }
    below = node.nodeId;
  }
}

function fit(newestFirst: Iterable<Note>, maxBytes: number): Recap {
  const notes: Note[] = [];
  let omitted = 0;
  let left = maxBytes;
  for (const { nodeId, notesMarkdown } of newestFirst) {
    // A marker alone would say nothing.
    if (omitted > 0 || (utf8Length(notesMarkdown) > left && left <= TRUNCATION_MARKER.length)) {
      omitted += 1;
      continue;
    }
    const cut = truncateUtf8(notesMarkdown, left);
    left -= utf8Length(cut);
    notes.push({ nodeId, notesMarkdown: cut });
    if (cut !== notesMarkdown) left = 0;
  }
  return { notes: notes.reverse(), omitted };
}
