/** From two views of a run to what a client that has the first must hear to have the second. */
import { isDeepStrictEqual } from 'node:util';
import { type BlockView, type GateView, type RunView } from '../run-view';

/** What is true of the run as a whole. */
export type RunHead = Omit<RunView, 'blocks' | 'gates'>;

/** One change. Each carries the whole of what it is about, so hearing it twice does no harm. */
export type RunChange =
  | { readonly type: 'snapshot'; readonly data: RunView }
  | { readonly type: 'run'; readonly data: RunHead }
  | { readonly type: 'block'; readonly data: BlockView & { readonly run_id: string } }
  | { readonly type: 'gate'; readonly data: GateView & { readonly run_id: string } };

/**
 * What changed. Blocks first, then gates in the order of their opening, then the run: when a client hears that a run is
 * over, it has heard all the rest. A gate that is heard for the first time comes after all others.
 */
export function changesBetween(before: RunView, after: RunView): readonly RunChange[] {
  if (!sameFrame(before, after)) return [{ type: 'snapshot', data: after }];
  const { run_id } = after;
  const blocks = after.blocks
    .filter((block, index) => !isDeepStrictEqual(block, before.blocks[index]))
    .map((block): RunChange => ({ type: 'block', data: { run_id, ...block } }));
  const gates = after.gates
    .filter((gate, index) => !isDeepStrictEqual(gate, before.gates[index]))
    .map((gate): RunChange => ({ type: 'gate', data: { run_id, ...gate } }));
  const head = headOf(after);
  const run: RunChange[] = isDeepStrictEqual(headOf(before), head) ? [] : [{ type: 'run', data: head }];
  return [...blocks, ...gates, ...run];
}

/** The same blocks, and the gates that were there first? Anything else is told anew from the beginning. */
function sameFrame(before: RunView, after: RunView): boolean {
  return (
    before.blocks.length === after.blocks.length &&
    before.blocks.every(({ id }, index) => after.blocks[index]?.id === id) &&
    before.gates.every((gate, index) => isSameOpening(gate, after.gates[index]))
  );
}

const isSameOpening = (a: GateView, b: GateView | undefined): boolean =>
  a.block === b?.block && a.gate === b.gate && a.attempt === b.attempt;

function headOf(view: RunView): RunHead {
  const { blocks: _blocks, gates: _gates, ...head } = view;
  return head;
}
