/** `railyard pause`, `resume`, `cancel` and `retry`. */
import { type Command } from 'commander';
import { err, type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { type Answer } from '../../src/factory/walk';
import { fail, say, sayJson } from '../output';
import { findService } from '../service-client';

interface ControlOptions {
  readonly as?: string;
  readonly reason?: string;
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

  for (const [name, description] of [
    ['pause', 'start no more blocks; running ones come to their end'],
    ['resume', 'go on with a paused run'],
  ] as const) {
    command(name, description).action((run: string, options: ControlOptions) =>
      control(`/factory-run/${encodeURIComponent(run)}/${name}`, options),
    );
  }
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

async function control(path: string, options: ControlOptions): Promise<void> {
  const answer = await ask(path, options);
  if (answer.isErr()) fail(answer.error, options.json === true);
  else if (options.json) sayJson(answer.value);
  else say(inWords(answer.value));
}

async function ask(path: string, { as, reason }: ControlOptions): Promise<Result<Answer, RailyardError>> {
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  return service.value.post<Answer>(path, {
    by: service.value.speaker(as),
    ...(reason === undefined ? {} : { reason }),
  });
}

function inWords(answer: Answer): string {
  if (answer.kind === 'run') return `the run is ${answer.status}${answer.changed ? '' : ' already'}`;
  if (answer.kind === 'retrying') return `block ${answer.block} runs again: attempt ${answer.attempt}`;
  return answer.kind;
}
