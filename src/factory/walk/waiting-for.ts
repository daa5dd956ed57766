/** Why a block is not running, in plain words. */
import type { PlannedTrigger, WalkPlan } from '../plan';
import type { GateState, RunState } from '../run-state';
import { tally } from './quorum';
import { behind, isMet, users } from './readiness';
import { View } from './view';

/** Null for a block that is running or done, and for one that the run does not have. */
export function waitingFor(plan: WalkPlan, state: RunState, block: string): string | null {
  const reasons = new Reasons(plan, state);
  return reasons.index.blocks.has(block) ? reasons.of(block) : null;
}

/** The same for every block of the run, in plan order, in one go. */
export function waitingForEach(plan: WalkPlan, state: RunState): ReadonlyMap<string, string | null> {
  const reasons = new Reasons(plan, state);
  return new Map(plan.blocks.map(({ id }) => [id, reasons.of(id)]));
}

/** Reasons over one state; what is asked for many blocks is found once. */
class Reasons extends View {
  private readonly failedAbove = new Map<string, ReadonlySet<string>>();

  of(block: string): string | null {
    const { status, error } = this.block(block);
    switch (status) {
      case 'running':
      case 'ready':
      case 'done':
        return null;
      case 'failed':
        return `failed: ${error ?? 'no reason given'}`;
      case 'waiting': {
        const opening = this.openGate(block);
        return opening ? gateInWords(this, opening) : 'waits for a gate';
      }
      case 'blocked':
        return this.blockedInWords(block);
      case 'pending':
        return runInWords(this) ?? triggerInWords(this, block) ?? turnInWords(this, block);
    }
  }

  private blockedInWords(block: string): string {
    const failed = this.failedUpstream(block);
    if (failed.size > 0) {
      const inOrder = this.plan.blocks.map(({ id }) => id).filter((id) => failed.has(id));
      return `upstream ${inOrder.join(', ')} failed`;
    }
    const unmet = this.planned(block).depends.filter((dependency) => !isMet(this, dependency));
    const lacking = unmet.find((dependency) => this.block(dependency.block).status === 'done');
    if (lacking) return `needs the artifact ${lacking.key}, which ${lacking.block} did not leave`;
    const ended = runInWords(this, 'ended');
    if (ended !== null) return ended;
    const names = [...new Set(unmet.map((one) => one.block))];
    if (names.length > 0) return `waits for ${names.join(', ')}`;
    const { scopeGate } = this.planned(block);
    return `waits at scope gate ${scopeGate ?? ''} for ${behind(this, block).join(', ')}`;
  }

  /** The blocks that a block waits for, whatever the reason. */
  private above(block: string): readonly string[] {
    const unmet = this.planned(block).depends.filter((dependency) => !isMet(this, dependency));
    return [...unmet.map((one) => one.block), ...behind(this, block)];
  }

  /** Failed blocks that this one depends on, near or far. */
  private failedUpstream(block: string): ReadonlySet<string> {
    // The blocks above it, each before those that need it: a chain of a thousand must not end the stack.
    const order = new Set<string>();
    const open = [block];
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      const next = this.above(id).find(
        (one) => !order.has(one) && !this.failedAbove.has(one) && this.block(one).status !== 'done',
      );
      if (next !== undefined) open.push(next);
      else order.add(open.pop() ?? id);
    }
    for (const id of order) {
      if (this.failedAbove.has(id)) continue;
      const above = new Set<string>();
      for (const from of this.above(id)) {
        if (this.block(from).status === 'failed') above.add(from);
        for (const one of this.failedAbove.get(from) ?? []) above.add(one);
      }
      this.failedAbove.set(id, above);
    }
    return this.failedAbove.get(block) ?? new Set();
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

/** What the run itself has to do with it; `ended` leaves out a pause, which is not what a blocked block waits for. */
function runInWords(view: View, only?: 'ended'): string | null {
  const { status } = view.state;
  if (status === 'cancelling' || status === 'cancelled' || status === 'completed')
    return `the run is ${status}`;
  return only !== 'ended' && (status === 'pausing' || status === 'paused') ? 'the run is paused' : null;
}

/** Null where the trigger has fired, or the block needs none. */
function triggerInWords(view: View, block: string): string | null {
  const { trigger } = view.planned(block);
  const { trigger: fired, tick } = view.block(block);
  if (!trigger || fired) return null;
  return `waits for ${sourceInWords(trigger)}${tick ? `, at ${tick}` : ''}`;
}

function sourceInWords(trigger: PlannedTrigger): string {
  switch (trigger.type) {
    case 'manual':
      return 'somebody to trigger it';
    case 'webhook':
      return `a call of its webhook ${trigger.path}`;
    case 'cron':
      return `the next tick of ${trigger.cron}`;
    case 'event': {
      const filters = Object.entries(trigger.filters).map(([key, value]) => `${key}=${value}`);
      return `the event ${trigger.name}${filters.length > 0 ? `(${filters.join(', ')})` : ''}`;
    }
  }
}

function turnInWords(view: View, block: string): string {
  const reading = users(view, block);
  if (reading.length > 0) return `waits for ${reading.join(', ')}, which uses its artifacts`;
  const { group } = view.planned(block);
  if (group === null) return 'waits to be started';
  return `group ${group} is full: ${view.runningIn(group)} running of ${view.index.limits.get(group) ?? 'any number'}`;
}
