/**
 * The states of a block, in words.
 *
 * - `pending`: could be considered, but does not run: it waits for its trigger, its group is full, the run is paused, or
 *   its next attempt is due. Every block begins here. Left as soon as the walk looks at it again and it can go on.
 * - `blocked`: a block it depends on, or one behind a lower scope gate, is not done, or did not leave the artifact it
 *   needs. Left when that changes.
 * - `waiting`: a gate of the block is open and people (or its deadline) decide. Entered from `pending` or `blocked` for
 *   a gate before, from `done` for a gate after; left by approval, rejection or cancel. It holds no place in a group.
 * - `ready`: everything is met. Lasts for no time at all: the same step starts the block.
 * - `running`: an attempt is being executed. Left only when that attempt is reported finished.
 * - `done`: its artifacts may be used. Final, except on the way to a gate after, which is passed through in one step, and
 *   for blocks that run any number of times, which begin again with their next trigger.
 * - `failed`: its last attempt came to nothing. Final for the walk; a person may retry it or override its threshold.
 *   A missed attempt with budget left passes through here on its way to `pending`.
 *
 * A retry is always a move to `pending`; what starts is always a move `ready` to `running`.
 */
import type { BlockStatus } from '../run-state';

/** One allowed transition; `source` says who asked for it. */
export interface TransitionRow {
  readonly from: BlockStatus;
  readonly to: BlockStatus;
  /** `document`: the Block v2 table; `design`: what its own prose needs; `ours`: one more reason to make the move. */
  readonly source: 'document' | 'design' | 'ours';
  readonly when: string;
}

const row = (
  from: BlockStatus,
  to: BlockStatus,
  source: TransitionRow['source'],
  when: string,
): TransitionRow => ({ from, to, source, when });

export const TRANSITIONS: readonly TransitionRow[] = [
  row('pending', 'ready', 'document', 'all dependencies met, no blocking gate'),
  row('pending', 'blocked', 'document', 'one or more dependencies not done'),
  row('blocked', 'ready', 'document', 'all dependencies resolved'),
  row('blocked', 'pending', 'document', 'dependencies resolved, but it cannot start yet (re-queue)'),
  row('ready', 'running', 'document', 'the scheduler picks up the block for execution'),
  row('running', 'done', 'document', 'execution succeeds, threshold met (or no threshold)'),
  row('running', 'failed', 'document', 'execution error or timeout'),
  row('done', 'waiting', 'document', 'the block has a gate after'),
  row('waiting', 'done', 'document', 'gate after approved'),
  row('waiting', 'pending', 'document', 'gate rejected, with a retry'),
  row('failed', 'pending', 'document', 'retryable and attempts < max_retries'),

  row('pending', 'waiting', 'design', 'a gate before opens'),
  row('blocked', 'waiting', 'design', 'a gate before opens as the last dependency is resolved'),
  row('waiting', 'ready', 'design', 'gate before approved'),
  row('waiting', 'failed', 'design', 'gate rejected with abort, or with no retry left'),
  row('failed', 'done', 'design', 'a person overrides the missed threshold'),

  row('running', 'failed', 'ours', 'threshold missed, or its metric absent: judged when the execution ends'),
  row(
    'running',
    'failed',
    'ours',
    'the run is being cancelled: the attempt ended, or a gate it needs cannot open',
  ),
  row('waiting', 'pending', 'ours', 'gate before approved while the run is paused or the group is full'),
  row('waiting', 'failed', 'ours', 'the run is cancelled while the gate is open'),
  row('failed', 'pending', 'ours', 'a person retries the failed block, with a fresh budget'),
  row('failed', 'pending', 'ours', 'the next trigger of a block that runs any number of times'),
  row('done', 'pending', 'ours', 'the next trigger of a block that runs any number of times'),
];

const allowed = new Set(TRANSITIONS.map(({ from, to }) => `${from} ${to}`));

/** The only way a status changes. A pair outside the table is a bug of ours, so it throws. */
export function transition(from: BlockStatus, to: BlockStatus): BlockStatus {
  if (!allowed.has(`${from} ${to}`)) throw new Error(`Bug: no block may go from ${from} to ${to}`);
  return to;
}
