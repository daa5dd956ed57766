/** `railyard schedule`: runs on a clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { err, ok, type Result } from 'neverthrow';
import { type ScheduleLine, type ScheduleView } from '../../api/schedules';
import { type RailyardError } from '../../src/errors';
import { compileTemplate } from '../../src/factory/compile';
import { fail, say, sayJson } from '../output';
import { lineInWords, plannedInWords, scheduleInWords, type PlannedTicks } from '../schedule-text';
import { findService, type ServiceClient } from '../service-client';
import { collect, parametersOf, readTemplate } from './run';

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** How long `schedule run` waits to see what becomes of it. */
const WATCH_MS = 5_000;
const POLL_MS = 250;
const PAGE = 200;

interface Options {
  readonly json?: true;
  readonly as?: string;
  readonly reason?: string;
}

interface CreateOptions extends Options {
  readonly cron: string;
  readonly timeZone: string;
  readonly overlap: string;
  readonly catchUp?: number;
  readonly pauseOnFailure?: true;
  readonly param: Readonly<Record<string, string>>;
  readonly workspace?: string;
}

interface BackfillOptions extends Options {
  readonly from: string;
  readonly to: string;
  readonly preview?: true;
  readonly atOnce?: true;
}

export function addSchedules(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('start runs on a clock: create, look at, pause, backfill and delete schedules')
    .addHelpText(
      'after',
      `
Example:
  railyard schedule create nightly factories/walking.json --cron "0 2 * * *" --time-zone Europe/Berlin \\
    -p topic="news of {{scheduled_date}}"`,
    );
  addCreate(schedule);
  addReading(schedule);
  addChanges(schedule);
  addBackfill(schedule);
  for (const command of schedule.commands) command.exitOverride();
}

function addCreate(schedule: Command): void {
  schedule
    .command('create')
    .description('start a factory run whenever a cron expression says so')
    .argument('<name>', 'small letters, digits and "-"; the ids of its runs begin with it')
    .argument('<template>', 'path of a factory template (JSON)')
    .requiredOption('--cron <expression>', 'five fields, or @hourly, @daily, @weekly, @monthly, @yearly')
    .option('--time-zone <zone>', 'an IANA name, such as Europe/Berlin', 'UTC')
    .addOption(
      new Option('--overlap <policy>', 'when a tick comes while an earlier run is going')
        .choices(['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'terminate_other', 'allow_all'])
        .default('skip'),
    )
    .option(
      '--catch-up <time>',
      'how late a missed tick may be taken: 90s, 10m, 12h or 1d (default: 1h)',
      seconds,
    )
    .option('--pause-on-failure', 'take no more ticks after a run that failed')
    .option('-p, --param <key=value>', 'a parameter of the template; repeat it for more', collect, {})
    .option('-w, --workspace <dir>', 'where the runs work (default: each in a folder of its own)')
    .option('--as <person>', 'who starts the runs (default: you)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\n{{scheduled_date}} and {{scheduled_time}} in a parameter stand for the time of each tick.',
    )
    .action((name: string, template: string, options: CreateOptions) =>
      ask(
        options,
        (service) => create(service, name, template, options),
        ({ warnings, ...view }) => [
          ...warnings.map((warning) => `warning: ${warning}`),
          `created ${view.name}; ${view.next_time === null ? 'it is paused' : `next at ${view.next_time}`}`,
        ],
      ),
    );
}

function addReading(schedule: Command): void {
  schedule
    .command('list')
    .description('show every schedule')
    .option('--json', 'print JSON')
    .action((options: Options) =>
      ask(options, allSchedules, ({ schedules }) =>
        schedules.length > 0
          ? schedules.map(lineInWords)
          : ['No schedules yet. Make one with: railyard schedule create'],
      ),
    );
  schedule
    .command('show')
    .description('show one schedule: when it is due, and what became of its last ticks')
    .argument('<name>', 'of the schedule')
    .option('--json', 'print JSON')
    .action((name: string, options: Options) =>
      ask(options, (service) => service.get<ScheduleView>(pathOf(name)), scheduleInWords),
    );
}

function addChanges(schedule: Command): void {
  const command = (name: string, description: string): Command =>
    schedule
      .command(name)
      .description(description)
      .argument('<name>', 'of the schedule')
      .option('--as <person>', 'who asks for it (default: you)')
      .option('--json', 'print JSON');
  for (const [type, description] of [
    ['pause', 'take no more ticks; runs that are going go on'],
    ['resume', 'take ticks again'],
  ] as const) {
    command(type, description)
      .option('--reason <text>', 'why, for the record')
      .action((name: string, options: Options) => {
        const reason = options.reason === undefined ? {} : { reason: options.reason };
        const post = (service: ServiceClient): Promise<Result<ScheduleLine, RailyardError>> =>
          service.post(`${pathOf(name)}/${type}`, { by: service.speaker(options.as), ...reason });
        return ask(options, post, (line) => [lineInWords(line)]);
      });
  }
  command('run', 'start a run of it now, also while it is paused').action((name: string, options: Options) =>
    ask(
      options,
      (service) => runNow(service, name, options),
      ({ run_id }) => [`started ${run_id}`, `follow it with: railyard status ${run_id}`],
    ),
  );
  command('delete', 'delete a schedule; its runs go on').action((name: string, options: Options) =>
    ask(
      options,
      (service) => service.delete(pathOf(name)),
      () => [`deleted ${name}; its runs go on`],
    ),
  );
}

function addBackfill(schedule: Command): void {
  schedule
    .command('backfill')
    .description('run what was due in a time that is past; ticks that have a run get no other')
    .argument('<name>', 'of the schedule')
    .requiredOption('--from <time>', 'a date such as 2026-11-01, or a moment such as 2026-11-01T06:00:00Z')
    .requiredOption('--to <time>', 'the same; both ends are in the range')
    .option('--preview', 'only show what would run')
    .option('--at-once', 'all at the same time, instead of one after the other')
    .option('--as <person>', 'who asks for it (default: you)')
    .option('--json', 'print JSON')
    .action((name: string, options: BackfillOptions) => {
      const { from, to, preview = false, atOnce } = options;
      const overlap = atOnce ? 'allow_all' : 'buffer_all';
      const look = (service: ServiceClient): Promise<Result<PlannedTicks, RailyardError>> =>
        preview
          ? service.get(`${pathOf(name)}/backfill?${new URLSearchParams({ from, to }).toString()}`)
          : service.post(`${pathOf(name)}/backfill`, { from, to, overlap, by: service.speaker(options.as) });
      return ask(options, look, (planned) => plannedInWords(planned, preview));
    });
}

/** Ask the service something, and print what it says. */
async function ask<T>(
  { json }: Options,
  question: (service: ServiceClient) => Promise<Result<T, RailyardError>>,
  inWords: (answer: T) => readonly string[],
): Promise<void> {
  const service = await findService(process.env);
  const answer = service.isErr() ? err(service.error) : await question(service.value);
  if (answer.isErr()) fail(answer.error, json === true);
  else if (json) sayJson(answer.value);
  else for (const line of inWords(answer.value)) say(line);
}

async function create(
  service: ServiceClient,
  name: string,
  path: string,
  options: CreateOptions,
): Promise<Result<ScheduleView & { warnings: string[] }, RailyardError>> {
  const text = await readTemplate(path);
  if (text.isErr()) return err(text.error);
  // The service checks it too; here every problem is shown with its place in the file.
  const compiled = compileTemplate(text.value);
  if (compiled.isErr()) return err(compiled.error);
  return service.post('/schedule', {
    name,
    template: JSON.parse(text.value.replace(/^\uFEFF/, '')) as unknown,
    parameters: parametersOf(options),
    cron: options.cron,
    time_zone: options.timeZone,
    overlap: options.overlap,
    pause_on_failure: options.pauseOnFailure === true,
    ...(options.catchUp === undefined ? {} : { catch_up_seconds: options.catchUp }),
    started_by: service.speaker(options.as),
  });
}

async function allSchedules(
  service: ServiceClient,
): Promise<Result<{ schedules: readonly ScheduleLine[] }, RailyardError>> {
  const schedules: ScheduleLine[] = [];
  let cursor = '';
  for (;;) {
    const page: Result<{ schedules: ScheduleLine[]; next_cursor: string | null }, RailyardError> =
      await service.get(`/schedule?limit=${PAGE}${cursor}`);
    if (page.isErr()) return err(page.error);
    schedules.push(...page.value.schedules);
    if (page.value.next_cursor === null) return ok({ schedules });
    cursor = `&cursor=${page.value.next_cursor}`;
  }
}

/** Whoever asks for a run hears it when none was started. */
async function runNow(
  service: ServiceClient,
  name: string,
  { as }: Options,
): Promise<Result<{ run_id: string }, RailyardError>> {
  const asked = await service.post<{ run_id: string }>(`${pathOf(name)}/run`, { by: service.speaker(as) });
  if (asked.isErr()) return err(asked.error);
  const end = Date.now() + WATCH_MS;
  while (Date.now() < end) {
    const view = await service.get<ScheduleView>(pathOf(name));
    const tick = view.unwrapOr(null)?.ticks.find(({ run_id }) => run_id === asked.value.run_id);
    if (tick) return tick.error ? err(tick.error) : asked;
    await sleep(POLL_MS);
  }
  return asked;
}

const pathOf = (name: string): string => `/schedule/${encodeURIComponent(name)}`;

function seconds(text: string): number {
  const { count, unit } = /^(?<count>\d{1,8})(?<unit>[smhd])$/.exec(text)?.groups ?? {};
  const known = unit === 's' || unit === 'm' || unit === 'h' || unit === 'd';
  if (!known) throw new InvalidArgumentError('Say 90s, 10m, 12h or 1d.');
  return Number(count) * UNIT_SECONDS[unit];
}
