/** `railyard pause`, `resume`, `cancel`, `retry`, `trigger` and `event`. */
import { InvalidArgumentError, type Command } from 'commander';
import { err, type Result } from 'neverthrow';
import { type Fired } from '../../api/factory-runs';
import { type RailyardError } from '../../src/errors';
import { fail, say, sayJson } from '../output';
import { findService } from '../service-client';

interface ControlOptions {
  readonly as?: string;
  readonly reason?: string;
  readonly payload?: unknown;
  readonly json?: true;
}

export function addControls(program: Command): void {
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<run>', 'the id of the run')
      .option('--as <person>', 'who asks for it (default: you)')
      .option('--json', 'print JSON');

  command('pause', 'start no more blocks; running ones come to their end').action(
    (run: string, options: ControlOptions) =>
      control(`/factory-run/${encodeURIComponent(run)}/pause`, options),
  );
  command('resume', 'go on with a run: one that is paused, was imported, or that nobody drives any more')
    .option(
      '--take-over',
      'begin anew from the store, whoever drives the run now and wherever it has moved to',
    )
    .addHelpText(
      'after',
      `
Blocks that are done are not executed again; an open gate is open again; attempts and feedback are kept. A workflow that
drove the run before is refused from then on, and ends.`,
    )
    .action((run: string, { takeOver, ...options }: ControlOptions & { readonly takeOver?: true }) =>
      control(`/factory-run/${encodeURIComponent(run)}/resume`, options, takeOver ? { take_over: true } : {}),
    );
  command('cancel', 'end a run for good; running skills are stopped')
    .option('--reason <text>', 'why, for the record')
    .action((run: string, options: ControlOptions) =>
      control(`/factory-run/${encodeURIComponent(run)}/cancel`, options),
    );
  command('retry', 'run a failed block again, with a fresh budget of retries')
    .argument('<block>', 'the failed block')
    .action((run: string, block: string, options: ControlOptions) =>
      control(`/factory-run/${encodeURIComponent(run)}/block/${encodeURIComponent(block)}/retry`, options),
    );
}

/** `railyard trigger` and `railyard event`: set blocks off that wait for it. */
export function addTriggers(program: Command): void {
  const command = (name: string, description: string): Command =>
    program.command(name).description(description).argument('<run>', 'the id of the run');
  const options = (one: Command): Command =>
    one
      .option('--payload <json>', 'what the skill is handed', readPayload)
      .option('--as <person>', 'who asks for it (default: you)')
      .option('--json', 'print JSON');

  options(
    command('trigger', 'set off a block whose trigger is "manual"').argument('<block>', 'the block'),
  ).action((run: string, block: string, given: ControlOptions) =>
    control(`/factory-run/${encodeURIComponent(run)}/block/${encodeURIComponent(block)}/trigger`, given),
  );
  options(
    command('event', 'tell a run of an event that its blocks may wait for').argument(
      '<name>',
      'of the event',
    ),
  ).action((run: string, name: string, given: ControlOptions) =>
    control(`/factory-run/${encodeURIComponent(run)}/event`, given, { name }),
  );
}

function readPayload(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvalidArgumentError('It is not JSON.');
  }
}

async function control(path: string, options: ControlOptions, more: object = {}): Promise<void> {
  const answer = await ask(path, options, more);
  if (answer.isErr()) fail(answer.error, options.json === true);
  else if (options.json) sayJson(answer.value);
  else say(inWords(answer.value));
}

async function ask(
  path: string,
  { as, reason, payload }: ControlOptions,
  more: object,
): Promise<Result<Fired, RailyardError>> {
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  return service.value.post<Fired>(path, {
    by: service.value.speaker(as),
    ...(reason === undefined ? {} : { reason }),
    ...(payload === undefined ? {} : { payload }),
    ...more,
  });
}

function inWords(answer: Fired): string {
  if (answer.kind === 'run') return `the run is ${answer.status}${answer.changed ? '' : ' already'}`;
  if (answer.kind === 'retrying') return `block ${answer.block} runs again: attempt ${answer.attempt}`;
  if (answer.kind === 'trigger') return triggerInWords(answer);
  if (answer.kind === 'stored') return 'kept: no worker is there right now; the run gets it when one is back';
  return answer.kind === 'ignored' ? `nothing happened: ${answer.why}` : answer.kind;
}

function triggerInWords({ triggered, kept }: Extract<Fired, { kind: 'trigger' }>): string {
  if (triggered.length > 0) return `set off: ${triggered.join(', ')}`;
  return kept.length > 0 ? `kept for: ${kept.join(', ')}` : 'no block waits for it';
}
