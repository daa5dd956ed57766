/** Why a block is not running, in plain words. */
import type { WalkPlan } from '../plan';
import type { GateState, RunState } from '../run-state';
import { tally } from './quorum';
import { isMet } from './readiness';
import { View } from './view';

/** Null for a block that is running or done, and for one that the run does not have. */
export function waitingFor(plan: WalkPlan, state: RunState, block: string): string | null {
  const view = new View(plan, state);
  if (!view.index.blocks.has(block)) return null;
  const { status, error } = view.block(block);
  switch (status) {
    case 'running':
    case 'ready':
    case 'done':
      return null;
    case 'failed':
      return `failed: ${error ?? 'no reason given'}`;
    case 'waiting': {
      const opening = view.openGate(block);
      return opening ? gateInWords(view, opening) : 'waits for a gate';
    }
    case 'blocked':
      return blockedInWords(view, block);
    case 'pending':
      return runInWords(view) ?? groupInWords(view, block);
  }
}

function gateInWords(view: View, { block, gate, openedAt, overdue, deadline, votes }: GateState): string {
  const rule = view.planned(block).gates[gate];
  const roles = rule && rule.approvers.length > 0 ? rule.approvers.join(', ') : 'any approver';
  const { have, need } = rule ? tally(rule, votes) : { have: 0, need: 1 };
  const quorum = need > 1 ? `, ${have} of ${need} approvals` : '';
  const late = overdue && deadline !== null ? `, overdue since ${deadline}` : '';
  return `gate ${gate} it is open since ${openedAt}, for ${roles}${quorum}${late}`;
}

function blockedInWords(view: View, block: string): string {
  const failed = failedUpstream(view, block);
  if (failed.length > 0) return `upstream ${failed.join(', ')} failed`;
  const unmet = view.planned(block).depends.filter((dependency) => !isMet(view, dependency));
  const lacking = unmet.find((dependency) => view.block(dependency.block).status === 'done');
  if (lacking) return `needs the artifact ${lacking.key}, which ${lacking.block} did not leave`;
  return runInWords(view, 'ended') ?? `waits for ${[...new Set(unmet.map((one) => one.block))].join(', ')}`;
}

/** Failed blocks that this one depends on, near or far, in plan order. */
function failedUpstream(view: View, block: string): readonly string[] {
  const seen = new Set<string>([block]);
  // A set that grows while it is walked: each block is looked at once.
  for (const id of seen) {
    for (const dependency of view.planned(id).depends) {
      if (view.block(dependency.block).status !== 'done') seen.add(dependency.block);
    }
  }
  return view.plan.blocks
    .map(({ id }) => id)
    .filter((id) => seen.has(id) && view.block(id).status === 'failed');
}

/** What the run itself has to do with it; `ended` leaves out a pause, which is not what a blocked block waits for. */
function runInWords(view: View, only?: 'ended'): string | null {
  const { status } = view.state;
  if (status === 'cancelling' || status === 'cancelled') return `the run is ${status}`;
  return only !== 'ended' && (status === 'pausing' || status === 'paused') ? 'the run is paused' : null;
}

function groupInWords(view: View, block: string): string {
  const { group } = view.planned(block);
  if (group === null) return 'waits to be started';
  return `group ${group} is full: ${view.runningIn(group)} running of ${view.index.limits.get(group) ?? 'any number'}`;
}
