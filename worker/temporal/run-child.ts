import { spawn } from 'node:child_process';
import { type Env } from './ways';

/** How a child program ended. `output` is the end of what it printed, both streams together. */
export type ChildEnd =
  | { readonly kind: 'ended'; readonly code: number | null; readonly output: string }
  | { readonly kind: 'gave-up'; readonly output: string }
  | { readonly kind: 'not-started'; readonly reason: string };

const LOOK_EVERY_MS = 250;
const OUTPUT_KEPT = 16_384;

/**
 * Run a program to its end. `goOn` is asked four times a second; when it says no, the program is killed. It stays in
 * the terminal's process group, so that Ctrl-C ends it together with its parent.
 */
export function runChild(
  command: string,
  args: readonly string[],
  { env, goOn }: { env: Env; goOn: () => boolean | Promise<boolean> },
): Promise<ChildEnd> {
  return new Promise((resolve) => {
    let output = '';
    let gaveUp = false;
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_KEPT);
    };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const giveUp = () => {
      gaveUp = true;
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open; the end of the child itself is enough.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const look = setInterval(() => {
      void Promise.resolve(goOn()).then((yes) => {
        if (!yes) giveUp();
      }, giveUp);
    }, LOOK_EVERY_MS);
    child.once('error', (error) => {
      clearInterval(look);
      resolve({ kind: 'not-started', reason: error.message });
    });
    child.once('close', (code) => {
      clearInterval(look);
      resolve(gaveUp ? { kind: 'gave-up', output } : { kind: 'ended', code, output });
    });
  });
}

/** `goOn` for a program that is given a fixed time. */
export function forAtMost(ms: number): () => boolean {
  const end = Date.now() + ms;
  return () => Date.now() < end;
}

/** The last line that says something. */
export function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
