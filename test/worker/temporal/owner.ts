import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { processMark } from '../../../worker/temporal/process-mark';

/** A Railyard of its own: a process that has started a dev server and can be killed. */
export interface Owner {
  readonly process: ChildProcess;
  readonly server: { readonly pid: number; readonly address: string };
}

const SCRIPT = `
const [folder, program, dataDir] = process.argv.slice(1);
const { startDevServer } = require(folder);
startDevServer({ program, dataDir, env: process.env, say: () => undefined }).then((started) => {
  const { pid, address } = started._unsafeUnwrap();
  process.stdout.write(JSON.stringify({ pid, address }) + '\\n');
  setInterval(() => undefined, 1000);
});
`;

/** Start such a process and wait for its server. */
export async function startOwner(folder: string, program: string, dataDir: string): Promise<Owner> {
  const child = spawn(process.execPath, ['-e', SCRIPT, folder, program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  // The script prints exactly this.
  return { process: child, server: JSON.parse(line.toString()) as Owner['server'] };
}

/** Wait until no process has this pid. */
export async function untilGone(pid: number): Promise<void> {
  const end = Date.now() + 20_000;
  while (processMark(pid) !== null) {
    if (Date.now() > end) throw new Error(`process ${pid} still runs`);
    await pause(50);
  }
}
