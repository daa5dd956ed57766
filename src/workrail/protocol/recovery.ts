/** For somebody who comes back to a place: what led to it, and what was done after it elsewhere. */
import { type NodeId } from '../model';
import { ancestryRecap, downstreamRecap, preferredTip, type Recap } from '../projections';
import { labelOf, type Place } from './place';

/** Together with their heads they stay below what a prompt leaves to a recap. */
const MAX_BEFORE_BYTES = 7_168;
const MAX_AFTER_BYTES = 3_072;

/** The text under the prompt of a place that is read again; empty: nothing was noted. */
export function recoveryOf(place: Place): string {
  const { view, run, node } = place;
  const before = ancestryRecap(view, node.nodeId, MAX_BEFORE_BYTES);
  const tip = preferredTip(run)?.node;
  const after = tip ? downstreamRecap(view, node.place, tip.nodeId, MAX_AFTER_BYTES) : NOTHING;
  return [
    section('What led here', before),
    ...(after.notes.length > 0
      ? [section('What was done after this place, before you came back to it', after)]
      : []),
    otherBranches(place, tip?.nodeId),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const NOTHING: Recap = { notes: [], omitted: 0 };

function section(title: string, { notes, omitted }: Recap): string {
  if (notes.length === 0 && omitted === 0) return '';
  const older =
    omitted > 0 ? [`(${omitted} older ${omitted === 1 ? 'note is' : 'notes are'} not shown.)`] : [];
  return [`_${title}, oldest first:_`, ...older, ...notes.map(({ notesMarkdown }) => notesMarkdown)].join(
    '\n\n',
  );
}

/** That this is no tip, and how many ways lead on from here. */
function otherBranches(place: Place, tip: NodeId | undefined): string {
  const { run, node } = place;
  const children = node.children.filter((child) => run.nodes.get(child)?.nodeKind !== 'checkpoint');
  if (children.length === 0 || tip === undefined) return '';
  const count = children.length === 1 ? 'has been left once' : `has been left ${children.length} times`;
  return `_This place (${labelOf(place)}) ${count}; going on from here opens another branch._`;
}
