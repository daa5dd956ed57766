/** The attempts of a block: one starts, one comes to nothing, the next one is due. */
import type { BlockState, FailureClass } from '../run-state';
import type { Draft } from './draft';
import { inputAttempts } from './readiness';

/** Of a block that runs any number of times; the others have no more than their budget. */
const MAX_HISTORY = 20;

type AttemptFields = Pick<
  BlockState,
  | 'started_at'
  | 'ended_at'
  | 'score'
  | 'error'
  | 'failure'
  | 'metrics'
  | 'notes'
  | 'recordCounts'
  | 'artifacts'
>;

/** What a block knows of an attempt that has not begun. The attempts before it are in the history. */
const untouched: AttemptFields = {
  started_at: null,
  ended_at: null,
  score: null,
  error: null,
  failure: null,
  metrics: {},
  notes: '',
  recordCounts: {},
  artifacts: [],
};

/** A block at the start of a run. */
export const newBlock: BlockState = {
  status: 'pending',
  attempts: 0,
  attempt: 1,
  ...untouched,
  history: [],
  feedback: [],
  warnings: [],
};

/** Start the current attempt of a block that is met in everything. */
export function startAttempt(draft: Draft, id: string): void {
  noteInputs(draft, id);
  draft.move(id, 'ready');
  draft.move(id, 'running', { started_at: draft.at });
  draft.effect({ type: 'start-attempt', block: id, attempt: draft.block(id).attempt });
}

/** A daemon without a trigger begins again with new inputs only: these are the ones it begins with now. */
export function noteInputs(draft: Draft, id: string): void {
  const { lifecycle, trigger } = draft.planned(id);
  if (lifecycle === 'daemon' && !trigger) draft.patch(id, { ranOn: inputAttempts(draft, id) });
}

/** Close the current attempt in the block's history. */
export function recordAttempt(
  draft: Draft,
  id: string,
  failure: FailureClass | null,
  error: string | null,
): void {
  const { attempt, started_at, ended_at, score, metrics, history } = draft.block(id);
  // An attempt that ended at its gate before never ran; it lasted as long as that gate was open.
  const startedAt = started_at ?? draft.opening(id, 'before')?.openedAt ?? draft.at;
  const endedAt = ended_at ?? draft.at;
  const all = [...history, { attempt, startedAt, endedAt, score, metrics, failure, error }];
  const once = draft.planned(id).lifecycle === undefined;
  draft.patch(id, { history: once ? all : all.slice(-MAX_HISTORY) });
}

/**
 * The current attempt came to nothing: on to the next one if the failure may be retried and the budget allows it, else
 * the block has failed. Says which.
 */
export function missAttempt(
  draft: Draft,
  id: string,
  failure: FailureClass,
  why: string,
  retry: 'retry' | 'final',
): 'retry' | 'failed' {
  const { status, attempts } = draft.block(id);
  const { maxRetries } = draft.planned(id);
  const stopped = draft.state.status === 'cancelling';
  const again = retry === 'retry' && attempts < maxRetries && !stopped;
  const notAgain =
    retry === 'retry' && attempts < maxRetries && stopped ? '; the run is being cancelled' : '';
  const error = retry === 'final' ? why : `${why} (attempt ${attempts + 1} of ${maxRetries + 1}${notAgain})`;

  recordAttempt(draft, id, failure, error);
  const ended_at = draft.block(id).ended_at ?? draft.at;
  // From an open gate a retry goes straight to pending; after an execution it passes through failed.
  if (!again || status === 'running') draft.move(id, 'failed', { failure, error, ended_at });
  if (!again) return 'failed';
  nextAttempt(draft, id, attempts + 1);
  return 'retry';
}

/** Make the next attempt of a block due; `attempts` is the part of its budget that is used by then. */
export function nextAttempt(draft: Draft, id: string, attempts: number): void {
  draft.move(id, 'pending', { ...untouched, attempts, attempt: draft.block(id).attempt + 1 });
}
