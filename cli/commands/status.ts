/** `railyard status`: the newest runs, or one of them in full. */
import { type Command } from 'commander';
import pc from 'picocolors';
import { err, type Result } from 'neverthrow';
import { type RunLine } from '../../api/run-reader';
import { type BlockView, type RunView } from '../../api/run-view';
import { type RailyardError } from '../../src/errors';
import { fail, say, sayJson } from '../output';
import { paintRun } from '../progress';
import { findService } from '../service-client';

interface StatusOptions {
  readonly limit: string;
  readonly json?: true;
}

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('show the newest runs, or one run in full')
    .argument('[run]', 'the id of a run')
    .option('-n, --limit <number>', 'how many runs to list', '20')
    .option('--json', 'print JSON')
    .action(async (run: string | undefined, options: StatusOptions) => {
      const shown = run === undefined ? await showList(options) : await showRun(run, options);
      if (shown.isErr()) fail(shown.error, options.json === true);
    });
}

async function showList({ limit, json }: StatusOptions): Promise<Result<void, RailyardError>> {
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  const list = await service.value.get<{ runs: RunLine[] }>(
    `/factory-run?limit=${encodeURIComponent(limit)}`,
  );
  return list.map((answer) => {
    const { runs } = answer;
    if (json) sayJson(answer);
    else if (runs.length === 0) say('No runs yet. Start one with: railyard run <template>');
    else for (const line of listLines(runs)) say(line);
  });
}

function listLines(runs: readonly RunLine[]): string[] {
  const width = Math.max(...runs.map(({ run_id }) => run_id.length));
  return runs.map(({ run_id, status, done, total, started_by, started_at, open_gates }) => {
    const progress = done === null || total === null ? '' : `${done}/${total} done`;
    const gates = open_gates.length > 0 ? pc.yellow(`  gate open: ${open_gates.join(', ')}`) : '';
    const how = `${paintRun(status)}${' '.repeat(Math.max(0, 11 - status.length))}`;
    return `${run_id.padEnd(width)}  ${how}${progress.padEnd(12)}  ${started_at}  ${started_by}${gates}`;
  });
}

async function showRun(run: string, { json }: StatusOptions): Promise<Result<void, RailyardError>> {
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  const view = await service.value.get<RunView>(`/factory-run/${encodeURIComponent(run)}`);
  return view.map((value) => {
    if (json) sayJson(value);
    else for (const line of runLines(value)) say(line);
  });
}

/** One run, readable. */
export function runLines(run: RunView): string[] {
  const width = Math.max(...run.blocks.map(({ id }) => id.length));
  return [
    `${pc.bold(run.run_id)}  ${paintRun(run.status)}${run.reason ? `: ${run.reason}` : ''}`,
    `factory ${run.factory}, started by ${run.started_by} at ${run.started_at}`,
    `workspace ${run.workspace}`,
    '',
    ...run.groups.map(({ text }) => pc.cyan(text)),
    ...(run.groups.length > 0 ? [''] : []),
    ...run.blocks.flatMap((block) => blockLines(block, width)),
  ];
}

function blockLines(block: BlockView, width: number): string[] {
  const { id, layer, status, attempt, score, waiting_for, record_counts, artifacts, warnings } = block;
  const records = Object.entries(record_counts).map(([state, count]) => `${count} ${state}`);
  const facts = [
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(score === null ? [] : [`score ${score}`]),
    ...(records.length === 0 ? [] : [`records: ${records.join(', ')}`]),
    ...(waiting_for === null ? [] : [waiting_for]),
  ];
  const indent = ' '.repeat(4);
  return [
    `${layer.padEnd(5)} ${id.padEnd(width)}  ${paintBlock(status)}${' '.repeat(9 - status.length)}${facts.join('; ')}`,
    ...artifacts.map(({ key, path, digest }) => pc.dim(`${indent}${key}: ${path} (${digest.slice(0, 19)}…)`)),
    ...warnings.map((warning) => `${indent}${pc.yellow('warning')}: ${warning}`),
  ];
}

function paintBlock(status: BlockView['status']): string {
  if (status === 'done') return pc.green(status);
  if (status === 'failed') return pc.red(status);
  if (status === 'waiting') return pc.yellow(status);
  return status === 'running' ? pc.blue(status) : status;
}
