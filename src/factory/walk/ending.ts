/**
 * When a run comes to its end. It is there for its one-shot blocks: when they are all done, or what is left of them has
 * no way on, nothing new is started, and what still runs comes to its end first. Blocks that run any number of times
 * count only as long as a one-shot block needs them. A run that has no one-shot block ends when it is cancelled.
 */
import type { BlockStatus } from '../run-state';
import type { View } from './view';

const ON_THE_WAY: readonly BlockStatus[] = ['running', 'waiting', 'pending'];

/** The one-shot blocks, and those that one of them still waits for, near or far. */
export function neededBlocks(view: View): ReadonlySet<string> {
  const { once, repeating } = view.index;
  const needed = new Set(once.length === 0 ? repeating : once);
  if (repeating.length === 0 || once.length === 0) return needed;
  // A set that grows while it is walked: each block is looked at once.
  const waiting = new Set(once.filter((id) => view.block(id).status !== 'done'));
  for (const id of waiting) for (const { block } of view.planned(id).depends) waiting.add(block);
  for (const id of waiting) needed.add(id);
  return needed;
}

/** Is there nothing left that could bring the run further? */
export function isEnding(view: View, needed = neededBlocks(view)): boolean {
  const { once, repeating } = view.index;
  if (once.length === 0 && repeating.length > 0) return false;
  return [...needed].every((id) => !ON_THE_WAY.includes(view.block(id).status));
}
