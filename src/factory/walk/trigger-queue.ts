/**
 * Triggers: a call for one block, an event for all that wait for it, the tick of a clock.
 *
 * - A one-shot block takes the first and no other. Where it cannot start yet, the trigger stays with it until it can.
 * - A block that runs any number of times takes one after the other. Those that come while it is busy are kept, and
 *   the oldest are dropped, with a warning, when they are too many.
 * - A retry belongs to the same trigger. The next trigger has a fresh budget, and knows nothing of earlier feedback.
 * - A clock stands still while its block is busy: a tick that nobody waits for is no trigger.
 * - A daemon without a trigger runs again when something it depends on was done again.
 */
import type { FiredTrigger, TriggerBook } from '../run-state';
import { nextAttempt } from './attempts';
import { nextTick, parseCron } from './cron';
import type { Draft } from './draft';
import { inputAttempts, isOpenTo, readiness } from './readiness';
import { textBytes } from './text-bytes';
import type { View } from './view';

const MAX_KEPT_PER_BLOCK = 100;
/** All of them travel in the run's state, which has 1.5 MB in all. */
const MAX_KEPT_BYTES = 500_000;

/** Give a trigger to a block. Says whether that set it off. */
export function deliver(draft: Draft, id: string, trigger: FiredTrigger): 'triggered' | 'kept' {
  const queued = bookOf(draft).kept.some(({ block }) => block === id);
  if (queued || !isIdle(draft, id)) {
    keep(draft, id, trigger);
    return 'kept';
  }
  begin(draft, id, trigger);
  return readiness(draft, id) === 'blocked' ? 'kept' : 'triggered';
}

/** One-shot blocks listen until they have a trigger, the others always. */
export function listens(draft: Draft, id: string): boolean {
  const { trigger, status } = draft.block(id);
  if (draft.planned(id).lifecycle !== undefined) return true;
  return trigger === undefined && (status === 'pending' || status === 'blocked');
}

/** Let a block that is idle take up what waits for it: a kept trigger, new inputs, or the next tick. */
export function takeUp(draft: Draft, id: string): void {
  const { trigger, lifecycle } = draft.planned(id);
  if (lifecycle !== undefined && isIdle(draft, id)) {
    const next = bookOf(draft).kept.find(({ block }) => block === id);
    if (next) {
      writeBook(draft, { kept: bookOf(draft).kept.filter((one) => one !== next) });
      begin(draft, id, next.trigger);
    } else if (lifecycle === 'daemon' && !trigger && hasNewInputs(draft, id)) {
      again(draft, id);
    }
  }
  if (trigger?.type === 'cron') wind(draft, id, trigger.cron);
}

/** The run ends: what is kept will not be taken up any more. */
export function dropKept(draft: Draft): void {
  const { kept } = bookOf(draft);
  if (kept.length === 0) return;
  writeBook(draft, { kept: [] });
  for (const block of new Set(kept.map((one) => one.block))) {
    const count = kept.filter((one) => one.block === block).length;
    draft.warn(
      block,
      `${count} kept ${count === 1 ? 'trigger was' : 'triggers were'} dropped: the run ended`,
    );
  }
}

/** Once a block is done, the payload it was set off by has served; it would only fill the state. */
export function forgetPayload(draft: Draft, id: string): void {
  const { status, trigger } = draft.block(id);
  if (status === 'done' && trigger && trigger.payload !== null) {
    draft.patch(id, { trigger: { ...trigger, payload: null } });
  }
}

/** Has the block come to the end of what it was set off for, or to none yet? */
function isIdle(view: View, id: string): boolean {
  const { status, trigger } = view.block(id);
  if (status === 'done' || status === 'failed') return true;
  return view.planned(id).trigger !== undefined && trigger === undefined;
}

function begin(draft: Draft, id: string, trigger: FiredTrigger): void {
  const { status } = draft.block(id);
  if (status === 'done' || status === 'failed') again(draft, id);
  draft.patch(id, { trigger });
}

/** From the end of one run of the block to the beginning of the next. */
function again(draft: Draft, id: string): void {
  const { status, attempt, artifacts } = draft.block(id);
  nextAttempt(draft, id, 0);
  draft.patch(id, { feedback: [], ...(status === 'done' ? { lastDone: { attempt, artifacts } } : {}) });
}

function hasNewInputs(view: View, id: string): boolean {
  const { ranOn = {} } = view.block(id);
  return Object.entries(inputAttempts(view, id)).some(([block, attempt]) => ranOn[block] !== attempt);
}

/** Wait for the next tick, where nothing else is to be waited for. */
function wind(draft: Draft, id: string, cron: string): void {
  const { tick: due, trigger } = draft.block(id);
  const idle = draft.planned(id).lifecycle === undefined ? trigger === undefined : isIdle(draft, id);
  if (due || !idle || !isOpenTo(draft, id)) return;
  const next = nextTick(parseCron(cron)._unsafeUnwrap(), draft.now);
  // The compiler has seen to it that there is one.
  if (next === null) return;
  const at = new Date(next).toISOString();
  draft.patch(id, { tick: at });
  draft.effect({ type: 'start-tick-timer', block: id, due: at, afterMs: next - draft.now });
}

function keep(draft: Draft, block: string, trigger: FiredTrigger): void {
  let kept = [...bookOf(draft).kept, { block, trigger }];
  const drop = (which: (one: TriggerBook['kept'][number]) => boolean): void => {
    const oldest = kept.find(which);
    kept = kept.filter((one) => one !== oldest);
    if (oldest) draft.warn(oldest.block, `The trigger ${oldest.trigger.id} was dropped: too many are kept`);
  };
  if (kept.filter((one) => one.block === block).length > MAX_KEPT_PER_BLOCK)
    drop((one) => one.block === block);
  while (kept.length > 1 && textBytes(JSON.stringify(kept)) > MAX_KEPT_BYTES) drop(() => true);
  writeBook(draft, { kept });
}

/** The triggers that a run keeps and knows. */
export const bookOf = ({ state }: View): TriggerBook => state.triggers ?? { kept: [], seen: [] };

export const writeBook = (draft: Draft, fields: Partial<TriggerBook>): void =>
  draft.write({ triggers: { ...bookOf(draft), ...fields } });
