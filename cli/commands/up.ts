/** `railyard up`: start the service and keep it up until it is told to stop. */
import { InvalidArgumentError, type Command } from 'commander';
import pc from 'picocolors';
import { readConfig } from '../../src/config';
import { homeRoot } from '../../src/home';
import { fail, renderError, say as sayOut } from '../output';
import { goOnWithoutReader } from '../reader';
import { type Service } from '../service';

/** Ctrl-C comes twice where a parent such as npx passes it on: to the whole group, and from the parent. */
const SAME_SIGNAL_MS = 1_000;

interface UpOptions {
  readonly port?: number;
  readonly host?: string;
  readonly config?: string;
}

export function addUp(program: Command): void {
  program
    .command('up')
    .description('start Temporal (unless TEMPORAL_ADDRESS names one), the worker and the HTTP API')
    .option('--port <number>', 'port of the HTTP API; 0 takes any free one (default: 7360)', readPort)
    .option('--host <address>', 'address of the HTTP API (default: 127.0.0.1)')
    .option('--config <file>', 'configuration file (default: railyard.json in the data directory)')
    .addHelpText(
      'after',
      '\nEverything it keeps is in the data directory (RAILYARD_HOME). Ctrl-C ends it cleanly;\nonce more, a moment later, ends it at once. `railyard config` shows every setting.',
    )
    .action(up);
}

async function up({ port, host, config: file }: UpOptions): Promise<void> {
  const root = homeRoot(process.env);
  const flags = { 'http.host': host, 'http.port': port };
  const read = readConfig({ root, env: process.env, file, flags });
  if (read.isErr()) {
    fail(read.error, false);
    return;
  }
  const { config, warnings } = read.value;
  // Where standard output is the log, nothing else is.
  const say = config.log.stdout ? sayAside : sayOut;
  for (const warning of warnings) say(`warning: ${warning}`);
  const signals = new Signals(say);
  goOnWithoutReader();
  // Only here: the Temporal SDK takes half a second to load, and no other command needs it.
  const { startService } = await import('../service.js');
  const started = await startService({ root, config, env: process.env, say });
  if (started.isErr()) {
    fail(started.error, false);
    // What is left of a start that failed may keep the process for a while.
    process.exit();
  }
  const service = started.value;
  signals.started = true;
  if (!signals.came) greet(service, say);
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
 * Signals from the first moment on. One that comes during the start is obeyed when the start is over. A second one, be it
 * during the start or while stopping, leaves at once, which harms nothing: the embedded server goes with its parent, and
 * skills that are left over are ended at the next start.
 */
class Signals {
  started = false;
  came = false;
  readonly first: Promise<string>;

  constructor(say: (line: string) => void) {
    let cameAt = 0;
    this.first = new Promise((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(name, () => {
          if (this.came && performance.now() - cameAt > SAME_SIGNAL_MS) process.exit(130);
          if (this.came) return;
          if (!this.started) say('\nstopping when the start is over; once more to leave at once');
          this.came = true;
          cameAt = performance.now();
          resolve(name);
        });
      }
    });
  }
}

const sayAside = (line: string): void => void process.stderr.write(`${line}\n`);

function greet({ home, url, temporal, embedded, slots }: Service, say: (line: string) => void): void {
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
