/** After every event: start what can start, and see whether the run has come to an end. */
import { startAttempt } from './attempts';
import type { Draft } from './draft';
import { isEnding, neededBlocks } from './ending';
import { cancelGate, openGate } from './gates';
import { isMet, readiness } from './readiness';
import { isOver } from './refusals';
import { dropKept, forgetPayload, takeUp } from './trigger-queue';

/** Bring every block and the run itself to where they belong now. */
export function settle(draft: Draft): void {
  if (isOver(draft)) return;
  const { index } = draft;
  const needed = neededBlocks(draft);
  const others = index.repeating.filter((id) => !needed.has(id));
  // What runs once comes first: a block that is triggered all the time must not keep it from starting.
  for (const id of index.once) promote(draft, id);
  for (const id of index.repeating) if (needed.has(id)) promote(draft, id);
  const ending = isEnding(draft, needed);
  for (const id of others)
    if (ending) withdraw(draft, id);
    else promote(draft, id);
  // What runs again blocks those that need it, and they have been looked at before it.
  if (index.repeating.length > 0) for (const { id } of draft.plan.blocks) block(draft, id);
  for (const id of index.triggered) forgetPayload(draft, id);

  if (draft.plan.blocks.some(({ id }) => draft.block(id).status === 'running')) return;
  if (draft.state.status === 'cancelling') {
    draft.write({ status: 'cancelled', endedAt: draft.at });
  } else if (!ending) {
    if (draft.state.status === 'pausing') draft.write({ status: 'paused' });
    return;
  } else if ([...needed].some((id) => draft.block(id).status !== 'done')) {
    draft.write({ status: 'failed', endedAt: draft.at, reason: whyFailed(draft, needed) });
  } else {
    draft.write({ status: 'completed', endedAt: draft.at, reason: null });
  }
  dropKept(draft);
}

/** Look again at a block that is pending or blocked. Nothing starts and no gate before opens unless the run is running. */
function promote(draft: Draft, id: string): void {
  if (draft.state.status !== 'cancelling') takeUp(draft, id);
  // A gate may be passed as it opens (an early decision, a standing approval), so the block is looked at once more.
  for (;;) {
    const { status: from } = draft.block(id);
    if (from !== 'pending' && from !== 'blocked') return;
    const verdict = readiness(draft, id);
    const to = draft.state.status === 'running' || verdict === 'blocked' ? verdict : 'pending';
    if (to === from) return;
    if (to === 'waiting') openGate(draft, id, 'before');
    else if (to === 'ready') startAttempt(draft, id);
    else draft.move(id, to);
  }
}

/** A block that waits for nothing but its turn, and whose dependencies are not met any more, is blocked. */
function block(draft: Draft, id: string): void {
  if (draft.block(id).status === 'pending' && readiness(draft, id) === 'blocked') draft.move(id, 'blocked');
}

/** The run is ending, and a block that it does not wait for stands at a gate: nobody needs to decide that any more. */
function withdraw(draft: Draft, id: string): void {
  const opening = draft.openGate(id);
  if (opening) cancelGate(draft, opening, 'the end of the run');
}

function whyFailed(draft: Draft, needed: ReadonlySet<string>): string {
  const failed = [...needed].filter((id) => draft.block(id).status === 'failed');
  const inOrder = draft.plan.blocks.filter(({ id }) => failed.includes(id));
  const [first] = inOrder;
  if (first) {
    const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
    return `Block "${first.id}" failed: ${draft.block(first.id).error ?? 'no reason given'}${more}`;
  }
  // Nothing failed, yet nothing can start: a block is done without an artifact that another one needs.
  const lacking = draft.plan.blocks
    .flatMap(({ id, depends }) => depends.map((dependency) => ({ id, ...dependency })))
    .find((one) => draft.block(one.block).status === 'done' && !isMet(draft, one));
  return lacking
    ? `Block "${lacking.id}" needs the artifact "${lacking.key}", which block "${lacking.block}" did not leave`
    : 'No block can start';
}
