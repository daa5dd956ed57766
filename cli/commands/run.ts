/** `railyard run`: start a factory and follow it to its end. */
import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { err, ok, type Result } from 'neverthrow';
import { type RunView } from '../../api/run-view';
import { problem, type RailyardError } from '../../src/errors';
import { compileTemplate } from '../../src/factory/compile';
import { fail, say, sayJson } from '../output';
import { changes } from '../progress';
import { findService, type ServiceClient } from '../service-client';

const POLL_MS = 400;
/** A service that is being restarted is waited for; after that, the run goes on without being watched. */
const AWAY_MS = 60_000;
/** Exit codes of a run that was followed to its end. */
const EXIT: Readonly<Record<string, number>> = { completed: 0, failed: 1, cancelled: 6 };
const WATCHING_ENDED = 130;

type Parameters = Readonly<Record<string, string>>;

interface RunOptions {
  readonly param: Parameters;
  readonly workspace?: string;
  readonly as?: string;
  readonly id?: string;
  readonly detach?: true;
  readonly json?: true;
}

export function addRun(program: Command): void {
  program
    .command('run')
    .description('start a factory run and follow it to its end')
    .argument('<template>', 'path of a factory template (JSON)')
    .option('-p, --param <key=value>', 'a parameter of the template; repeat it for more', collect, {})
    .option('-w, --workspace <dir>', 'where the run works (the same as -p workspace_path=<dir>)')
    .option('--as <person>', 'who starts the run (default: you)')
    .option('--id <run>', 'the id of the run; one is made where none is given')
    .option('-d, --detach', 'start the run and return at once')
    .option('--json', 'print one JSON object: the run as it ended')
    .addHelpText(
      'after',
      `
Exit codes: 0 completed, 1 failed, 6 cancelled, 130 interrupted (the run goes on), 2 bad input, 3 refused,
4 not found, 5 service away.

Example:
  railyard run factories/walking.json -p topic=railways`,
    )
    .action(async (template: string, options: RunOptions) => {
      const ended = await run(template, options);
      if (ended.isErr()) fail(ended.error, options.json === true);
    });
}

async function run(path: string, options: RunOptions): Promise<Result<void, RailyardError>> {
  const text = await readTemplate(path);
  if (text.isErr()) return err(text.error);
  // The service checks it too; here every problem is shown without one.
  const compiled = compileTemplate(text.value);
  if (compiled.isErr()) return err(compiled.error);
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  const started = await service.value.post<{ run_id: string; warnings: string[] }>('/factory-run', {
    template: JSON.parse(text.value.replace(/^\uFEFF/, '')) as unknown,
    parameters: parametersOf(options),
    started_by: service.value.speaker(options.as),
    ...(options.id === undefined ? {} : { run_id: options.id }),
  });
  if (started.isErr()) return err(started.error);
  const { run_id: id, warnings } = started.value;
  const quiet = options.json === true;
  if (!quiet) for (const warning of warnings) say(`warning: ${warning}`);
  if (options.detach) {
    if (quiet) sayJson(started.value);
    else say(`started ${id}\nfollow it with: railyard status ${id}`);
    return ok();
  }
  if (!quiet) {
    say(`run ${id} started; Ctrl-C stops watching, not the run`);
  }
  return follow(service.value, id, quiet);
}

/** Read a template file. */
export async function readTemplate(path: string): Promise<Result<string, RailyardError>> {
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error && error.code === 'EISDIR' ? 'is a folder' : 'cannot be read';
    return err(problem('TEMPLATE_NOT_FOUND', `The template ${path} ${why}.`));
  }
}

async function follow(
  first: ServiceClient,
  id: string,
  quiet: boolean,
): Promise<Result<void, RailyardError>> {
  let service = first;
  // Whatever ends this before the run is over has only ended the watching.
  process.exitCode = WATCHING_ENDED;
  process.once('SIGINT', () => {
    if (!quiet) say(`\nstopped watching; the run goes on: railyard status ${id}`);
    process.exit();
  });
  let seen: RunView | null = null;
  let awaySince: number | null = null;
  for (;;) {
    const view: Result<RunView, RailyardError> = await service.get<RunView>(`/factory-run/${id}`);
    if (view.isErr()) {
      if (view.error.retry.kind === 'not_retryable') return err(view.error);
      if (awaySince === null && !quiet) say(`${view.error.message} Waiting …`);
      awaySince ??= Date.now();
      if (Date.now() - awaySince > AWAY_MS) return err(view.error);
      // One that was started again may listen elsewhere.
      if (view.error.code === 'SERVICE_AWAY') service = (await findService(process.env)).unwrapOr(service);
    } else {
      if (awaySince !== null && !quiet) say('It answers again.');
      awaySince = null;
      if (!quiet) for (const line of changes(seen, view.value)) say(line);
      seen = view.value;
      const code = EXIT[seen.status];
      if (code !== undefined) {
        process.exitCode = code;
        if (quiet) sayJson(seen);
        else sayEnd(seen);
        return ok();
      }
    }
    await sleep(POLL_MS);
  }
}

function sayEnd(run: RunView): void {
  const artifacts = run.blocks.flatMap((block) => block.artifacts);
  if (run.status === 'completed') {
    say(`\n${run.counts.done} blocks done, ${artifacts.length} artifacts in ${run.workspace}`);
    return;
  }
  say(`\n${run.counts.done} of ${run.blocks.length} blocks done; look at: railyard status ${run.run_id}`);
  for (const { id } of run.blocks.filter(({ status }) => status === 'failed')) {
    if (run.status === 'failed') say(`try again with: railyard retry ${run.run_id} ${id}`);
  }
}

/** Another parameter, as it stands on the command line. */
export function collect(text: string, before: Parameters): Parameters {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It has the form key=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** A workspace is given from where the person stands; the service stands elsewhere. */
export function parametersOf({ param, workspace }: Pick<RunOptions, 'param' | 'workspace'>): Parameters {
  const named = workspace ?? param.workspace_path;
  if (named === undefined || named === '') return param;
  return { ...param, workspace_path: isAbsolute(named) ? named : resolve(named) };
}
