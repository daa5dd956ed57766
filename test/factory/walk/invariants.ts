/** What must hold after every step of every walk, written without looking at how the walk does it. */
import type { PlannedBlock } from '../../../src/factory/plan';
import type { ArtifactRef, BlockStatus } from '../../../src/factory/run-state';
import type { Walker } from './fixtures';

/** `expect` is too slow for something that is asked a million times. */
function hold(truth: boolean, ...what: readonly unknown[]): void {
  if (!truth) throw new Error(`does not hold: ${what.join(' ')}`);
}

export function checkInvariants(walk: Walker): void {
  const { plan, state } = walk;
  const planned = (id: string): PlannedBlock | undefined => plan.blocks.find((one) => one.id === id);
  const usable = (id: string): readonly ArtifactRef[] => {
    const { status, artifacts, lastDone } = walk.block(id);
    if (status === 'done') return artifacts;
    const judged = state.gates.some(
      (one) => one.block === id && one.gate === 'after' && one.outcome === null,
    );
    return status === 'running' || judged ? [] : (lastDone?.artifacts ?? []);
  };
  const met = (id: string): boolean => {
    const { depends = [], scopeGate = 0 } = planned(id) ?? {};
    return (
      depends.every(({ block, key }) => usable(block).some((one) => one.key === key)) &&
      plan.blocks.every(
        (one) =>
          one.scopeGate === undefined ||
          one.lifecycle !== undefined ||
          one.scopeGate >= scopeGate ||
          walk.status(one.id) === 'done',
      )
    );
  };
  /** Blocks that run again are left as they are when the run ends. */
  const left = ({ lifecycle }: PlannedBlock): boolean =>
    lifecycle !== undefined && !onceHas(walk, 'running', 'waiting', 'pending');

  for (const effect of walk.effects) {
    if (effect.type === 'start-attempt') hold(met(effect.block), effect.block, 'may start');
  }

  const full = new Set<string>();
  for (const { name, maxConcurrent, blocks } of plan.groups) {
    if (maxConcurrent === null) continue;
    const running = blocks.filter((id) => walk.status(id) === 'running').length;
    hold(running <= maxConcurrent, name, 'is within its limit');
    if (running === maxConcurrent) full.add(name);
  }

  for (const one of plan.blocks) {
    const { id, group, depends, trigger } = one;
    const status = walk.status(id);
    const reading = plan.blocks.some(
      ({ id: reader, depends: reads }) =>
        walk.status(reader) === 'running' && reads.some(({ block }) => block === id),
    );
    if (status === 'running') {
      hold(!depends.some(({ block }) => walk.status(block) === 'running'), id, 'reads what nobody writes');
      hold(!trigger || walk.block(id).trigger !== undefined, id, 'has had its trigger');
    }
    const open = state.gates.filter(({ block, outcome }) => block === id && outcome === null).length;
    hold(open === (status === 'waiting' ? 1 : 0), id, status, 'with', open, 'open gates');
    hold(status !== 'ready', id, 'is started in the step that makes it ready');
    if (left(one)) continue;
    if (status === 'blocked') hold(!met(id), id, 'is blocked for a reason');
    if (status === 'pending') {
      hold(met(id), id, 'is pending with its dependencies met');
      const unasked = trigger !== undefined && walk.block(id).trigger === undefined;
      const held = full.has(group ?? '') || unasked || reading;
      hold(state.status !== 'running' || held, id, 'is pending for a reason');
    }
  }

  const has = (...some: BlockStatus[]): boolean =>
    plan.blocks.some(({ id }) => some.includes(walk.status(id)));
  hold((state.endedAt !== null) === ['completed', 'failed', 'cancelled'].includes(state.status), 'endedAt');
  hold(runFits(walk, has), 'run', state.status, 'with', walk.statuses);
}

/** Is a block that runs once in one of these states? */
function onceHas({ plan, state }: Walker, ...some: BlockStatus[]): boolean {
  return plan.blocks.some(
    ({ id, lifecycle }) => lifecycle === undefined && some.includes(state.blocks[id]?.status ?? 'done'),
  );
}

function runFits(walk: Walker, has: (...some: BlockStatus[]) => boolean): boolean {
  const { plan, state } = walk;
  switch (state.status) {
    case 'running':
      return (
        has('running', 'waiting') ||
        plan.blocks.some(
          ({ id, trigger }) => trigger && walk.status(id) === 'pending' && !walk.block(id).trigger,
        )
      );
    case 'pausing':
    case 'cancelling':
      return has('running');
    case 'paused':
      return !has('running') && has('waiting', 'pending');
    case 'completed':
      return !has('running', 'waiting') && !onceHas(walk, 'pending', 'blocked', 'failed');
    case 'failed':
      return !has('running', 'waiting') && !onceHas(walk, 'pending') && onceHas(walk, 'failed', 'blocked');
    case 'cancelled':
      return !has('running', 'waiting');
  }
}

/** The moves of a block form one unbroken line that ends where the block is. */
export function checkMoves(walk: Walker): void {
  const last = new Map<string, BlockStatus>();
  for (const { block, from, to } of walk.moves) {
    hold(from === (last.get(block) ?? 'pending'), block, 'moves on from where it was, not from', from);
    last.set(block, to);
  }
  for (const { id } of walk.plan.blocks)
    hold((last.get(id) ?? 'pending') === walk.status(id), id, 'line of moves');
}
