/** From two looks at a run to the lines that tell what happened in between. Pure, so that it is easy to test. */
import pc from 'picocolors';
import { type BlockView, type RunView } from '../api/run-view';

/** What changed since the last look (null: nothing was seen yet), oldest thing first. */
export function changes(before: RunView | null, after: RunView): string[] {
  const width = Math.max(...after.blocks.map(({ id }) => id.length));
  const blocks = after.blocks.flatMap((block) => {
    const old = before?.blocks.find(({ id }) => id === block.id);
    return blockChanges(old, block, after).map((text) => `  ${block.id.padEnd(width)}  ${text}`);
  });
  const groups = after.groups.flatMap((group) => {
    const old = before?.groups.find(({ name }) => name === group.name);
    return old?.done === group.done || group.done === 0 ? [] : [`  ${pc.cyan(group.text)}`];
  });
  const run =
    before?.status !== after.status && before !== null
      ? [`run ${after.run_id} is ${paintRun(after.status)}${after.reason ? `: ${after.reason}` : ''}`]
      : [];
  return [...blocks, ...groups, ...run];
}

function blockChanges(old: BlockView | undefined, block: BlockView, run: RunView): string[] {
  // Attempts that came to nothing since the last look, even where the next one is already on its way.
  const missed = block.history
    .slice(old?.history.length ?? 0)
    .filter(({ failure }) => failure !== null)
    .map(({ attempt, error }) => `${pc.yellow(`attempt ${attempt} failed`)}: ${error ?? ''}`);
  const same = old?.status === block.status && old.attempt === block.attempt;
  const now = same ? null : describe(block, run);
  return [...(block.status === 'failed' ? missed.slice(0, -1) : missed), ...(now === null ? [] : [now])];
}

function describe(block: BlockView, run: RunView): string | null {
  switch (block.status) {
    case 'running':
      return `${pc.blue('running')}${block.attempt > 1 ? ` (attempt ${block.attempt})` : ''}`;
    case 'done': {
      const score = block.score === null ? '' : `, score ${block.score}`;
      return `${pc.green('done')}${seconds(block)}${score}`;
    }
    case 'failed':
      return `${pc.red('failed')}: ${block.error ?? ''}`;
    case 'waiting': {
      const gate = run.gates.find(({ block: id, outcome }) => id === block.id && outcome === null);
      const roles = gate && gate.approvers.length > 0 ? gate.approvers.join(' or ') : 'an approver';
      const role = gate?.approvers[0] ?? 'ROLE';
      return `${pc.yellow('waits for')} ${roles}: railyard approve ${run.run_id} ${block.id} --role ${role}`;
    }
    // On their way: worth a word in `status`, not a line here.
    case 'pending':
    case 'ready':
    case 'blocked':
      return null;
  }
}

function seconds({ started_at, ended_at }: BlockView): string {
  if (started_at === null || ended_at === null) return '';
  return ` in ${((Date.parse(ended_at) - Date.parse(started_at)) / 1000).toFixed(1)} s`;
}

/** A run's status, coloured. */
export function paintRun(status: string): string {
  if (status === 'completed') return pc.green(status);
  if (status === 'failed' || status === 'cancelled' || status === 'orphaned') return pc.red(status);
  return pc.blue(status);
}
