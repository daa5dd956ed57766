/** After every event: start what can start, and see whether the run has come to an end. */
import { startAttempt } from './attempts';
import type { Draft } from './draft';
import { openGate } from './gates';
import { isMet, readiness } from './readiness';
import { isOver } from './refusals';

/** Bring every block and the run itself to where they belong now. */
export function settle(draft: Draft): void {
  if (isOver(draft)) return;
  for (const { id } of draft.plan.blocks) promote(draft, id);

  const statuses = new Set(draft.plan.blocks.map(({ id }) => draft.block(id).status));
  if (statuses.has('running')) return;
  if (draft.state.status === 'cancelling') {
    draft.write({ status: 'cancelled', endedAt: draft.at });
  } else if (statuses.has('waiting') || statuses.has('pending')) {
    if (draft.state.status === 'pausing') draft.write({ status: 'paused' });
  } else if (statuses.has('failed') || statuses.has('blocked')) {
    draft.write({ status: 'failed', endedAt: draft.at, reason: whyFailed(draft) });
  } else {
    draft.write({ status: 'completed', endedAt: draft.at, reason: null });
  }
}

/** Look again at a block that is pending or blocked. Nothing starts and no gate before opens unless the run is running. */
function promote(draft: Draft, id: string): void {
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

function whyFailed(draft: Draft): string {
  const failed = draft.plan.blocks.filter(({ id }) => draft.block(id).status === 'failed');
  const [first] = failed;
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
