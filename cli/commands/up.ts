/** `railyard up`: start the service and keep it up until it is told to stop. */
import { InvalidArgumentError, type Command } from 'commander';
import pc from 'picocolors';
import { homeRoot } from '../../src/home';
import { fail, renderError, say } from '../output';
import { goOnWithoutReader } from '../reader';
import { type Service } from '../service';

const DEFAULT_PORT = 7360;

interface UpOptions {
  readonly port: number;
  readonly host: string;
}

export function addUp(program: Command): void {
  program
    .command('up')
    .description('start Temporal (unless TEMPORAL_ADDRESS names one), the worker and the HTTP API')
    .option('--port <number>', 'port of the HTTP API; 0 takes any free one', readPort, DEFAULT_PORT)
    .option('--host <address>', 'address of the HTTP API', '127.0.0.1')
    .addHelpText(
      'after',
      '\nEverything it keeps is in the data directory (RAILYARD_HOME). Ctrl-C ends it cleanly.',
    )
    .action(up);
}

async function up({ port, host }: UpOptions): Promise<void> {
  const signals = new Signals();
  goOnWithoutReader();
  // Only here: the Temporal SDK takes half a second to load, and no other command needs it.
  const { startService } = await import('../service.js');
  const started = await startService({ root: homeRoot(process.env), host, port, env: process.env, say });
  if (started.isErr()) {
    fail(started.error, false);
    // What is left of a start that failed may keep the process for a while.
    process.exit();
  }
  const service = started.value;
  signals.started = true;
  if (!signals.came) greet(service);
  const why = await Promise.race([signals.first, service.broken]);
  if (typeof why === 'string') say(`\nstopping (${why}) …`);
  else {
    process.exitCode = 5;
    process.stderr.write(`${renderError(why)}\n`);
  }
  await service.stop();
  say('stopped');
  // The SDK's native side keeps threads that would hold the process for a while.
  process.exit();
}

/**
 * Signals from the first moment on. One that comes during the start is obeyed when the start is over; a second one ends
 * the start at once, which harms nothing: the embedded server goes with its parent. While stopping, more are let pass.
 */
class Signals {
  started = false;
  came = false;
  readonly first: Promise<string>;

  constructor() {
    this.first = new Promise((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(name, () => {
          if (this.came && !this.started) process.exit(130);
          if (!this.came && !this.started)
            say('\nstopping when the start is over; once more to leave at once');
          this.came = true;
          resolve(name);
        });
      }
    });
  }
}

function greet({ home, url, temporal, embedded, slots }: Service): void {
  for (const line of [
    '',
    pc.bold('Railyard is up.'),
    `  url       ${pc.cyan(url)}`,
    `  key       ${home.key}`,
    `  data      ${home.root}`,
    `  temporal  ${temporal} (${embedded ? 'embedded' : 'yours'})`,
    `  worker    ${slots} slots`,
    '',
    'In another terminal:  npx railyard run factories/walking.json -p topic=railways',
    'Ctrl-C stops everything; runs go on at the next start.',
  ]) {
    say(line);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('It is a whole number from 0 to 65535.');
  }
  return port;
}
