/** The command line. */
import { Command, CommanderError } from 'commander';
import { problem } from '../src/errors';
import { packageVersion } from '../src/home';
import { addConfig } from './commands/config';
import { addControls, addTriggers } from './commands/control';
import { addDecisions } from './commands/decide';
import { addKeys } from './commands/keys';
import { addMcp } from './commands/mcp';
import { addRun } from './commands/run';
import { addSchedules } from './commands/schedule';
import { addStatus } from './commands/status';
import { addStore } from './commands/store';
import { addTemplateCommands } from './commands/template';
import { addUp } from './commands/up';
import { addWebhooks } from './commands/webhooks';
import { addWorkflows } from './commands/workflow';
import { fail } from './output';
import { watchReader } from './reader';

/** Parse the arguments and do what they say; the exit code is set on the process. */
export function main(argv: readonly string[]): void {
  watchReader();
  const program = new Command('railyard')
    .description(
      'Durable AI pipelines: factories of blocks, human gates and quality thresholds, on Temporal.',
    )
    .version(packageVersion(), '-V, --version')
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Environment:
  RAILYARD_HOME       the data directory (default: ~/.railyard)
  RAILYARD_URL, RAILYARD_KEY
                      the service to talk to (default: the one of the data directory)
  RAILYARD_CONFIG     the configuration file (default: railyard.json in the data directory)

Every setting of the service, with its variable: \`railyard config\` and docs/reference/configuration.md.`,
    );
  addUp(program);
  addRun(program);
  addStatus(program);
  addDecisions(program);
  addControls(program);
  addTriggers(program);
  addWebhooks(program);
  addTemplateCommands(program);
  addKeys(program);
  addSchedules(program);
  addStore(program);
  addWorkflows(program);
  addMcp(program);
  addConfig(program);
  for (const command of program.commands) command.exitOverride();

  program.parseAsync(argv).catch((error: unknown) => {
    // Commander has said what is wrong; help and version come this way too, with 0.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      const text = error instanceof Error ? error.message : String(error);
      fail(problem('INTERNAL', `Railyard failed: ${text}`), argv.includes('--json'));
      if (process.env.RAILYARD_DEBUG && error instanceof Error)
        process.stderr.write(`${error.stack ?? ''}\n`);
    }
  });
}
