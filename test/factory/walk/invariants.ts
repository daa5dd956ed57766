/** What must hold after every step of every walk, written without looking at how the walk does it. */
import type { BlockStatus } from '../../../src/factory/run-state';
import type { Walker } from './fixtures';

/** `expect` is too slow for something that is asked a million times. */
function hold(truth: boolean, ...what: readonly unknown[]): void {
  if (!truth) throw new Error(`does not hold: ${what.join(' ')}`);
}

export function checkInvariants(walk: Walker): void {
  const { plan, state } = walk;
  const met = (id: string): boolean =>
    plan.blocks
      .filter((one) => one.id === id)
      .flatMap(({ depends }) => depends)
      .every(
        ({ block, key }) =>
          walk.status(block) === 'done' && walk.block(block).artifacts.some((one) => one.key === key),
      );

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

  for (const { id, group } of plan.blocks) {
    const status = walk.status(id);
    const open = state.gates.filter((one) => one.block === id && one.outcome === null).length;
    hold(open === (status === 'waiting' ? 1 : 0), id, status, 'with', open, 'open gates');
    hold(status !== 'ready', id, 'is started in the step that makes it ready');
    if (status === 'blocked') hold(!met(id), id, 'is blocked for a reason');
    if (status === 'pending') {
      hold(met(id), id, 'is pending with its dependencies met');
      hold(state.status !== 'running' || full.has(group ?? ''), id, 'is pending for a reason');
    }
  }

  const has = (...some: BlockStatus[]): boolean =>
    plan.blocks.some(({ id }) => some.includes(walk.status(id)));
  hold((state.endedAt !== null) === ['completed', 'failed', 'cancelled'].includes(state.status), 'endedAt');
  hold(runFits(walk, has), 'run', state.status, 'with', walk.statuses);
}

function runFits({ state }: Walker, has: (...some: BlockStatus[]) => boolean): boolean {
  switch (state.status) {
    case 'running':
      return has('running', 'waiting');
    case 'pausing':
    case 'cancelling':
      return has('running');
    case 'paused':
      return !has('running') && has('waiting', 'pending');
    case 'completed':
      return !has('running', 'pending', 'blocked', 'waiting', 'failed');
    case 'failed':
      return !has('running', 'pending', 'waiting');
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
