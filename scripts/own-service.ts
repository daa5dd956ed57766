/** A service of a script's own: `railyard up` as a child process on a data directory that the script chose. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceClient } from '../cli/service-client';
import { PACKAGE_ROOT, readEndpoint } from '../src/home';
import { findTemporalProgram } from '../worker/temporal';

const RAILYARD = join(PACKAGE_ROOT, 'bin', 'railyard.js');
const START_WITHIN_MS = 90_000;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The environment of commands that talk to this service and no other, whatever this terminal is set to otherwise. */
export async function ownEnvironment(home: string): Promise<NodeJS.ProcessEnv> {
  const own = {
    RAILYARD_HOME: home,
    RAILYARD_CONFIG: undefined,
    RAILYARD_URL: undefined,
    RAILYARD_KEY: undefined,
  };
  return { ...process.env, ...own, ...(await temporalProgram()) };
}

/** Aborts when somebody wants the script to end: by a signal, or since nobody reads it any more. */
export function interruption(): AbortSignal {
  const wish = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => wish.abort());
  process.stdout.on('error', () => wish.abort());
  return wish.signal;
}

/** The program is kept with the checkout, so that a second demo need not fetch it again. */
async function temporalProgram(): Promise<Record<string, string>> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_CLI: asked } = process.env;
  if (address) return {};
  // An empty variable says nothing.
  const cli = asked === undefined || asked === '' ? null : asked;
  const cacheDir = join(PACKAGE_ROOT, 'node_modules', '.cache', 'railyard');
  const program = await findTemporalProgram({ cacheDir, env: process.env, cli, say });
  if (program.isErr()) throw new Error(`${program.error.message}\n${program.error.suggestion}`);
  return { TEMPORAL_CLI: program.value.path };
}

/** Start a command in a group of its own. */
export function start(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  say(`\n$ railyard ${args.map((one) => (one.includes(' ') ? `'${one}'` : one)).join(' ')}`);
  // A group of its own: Ctrl-C comes to the script, which then stops its children in order.
  return spawn(process.execPath, [RAILYARD, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
}

/** The exit code of a child, now or when it ends. */
export function exitOf(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? 1);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** The client of a service that has come up; null: interrupted. */
export async function untilUp(
  home: string,
  up: ChildProcess,
  interrupted: AbortSignal,
): Promise<ServiceClient | null> {
  for (let waited = 0; waited < START_WITHIN_MS; waited += 100) {
    if (interrupted.aborted) return null;
    const endpoint = await readEndpoint(home);
    if (endpoint) return new ServiceClient(endpoint.url, endpoint.key);
    if (up.exitCode !== null) throw new Error('`railyard up` ended before it was ready; see above.');
    await sleep(100);
  }
  throw new Error(`\`railyard up\` was not ready within ${START_WITHIN_MS / 1000} s.`);
}
