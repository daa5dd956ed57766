import { err, ok, type Result } from 'neverthrow';
import { forAtMost, lastLine, runChild } from './run-child';
import { type Env } from './ways';

const CANDIDATES: readonly (readonly [string, ...string[]])[] = [
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
  ['pip3'],
  ['pip'],
];

const ANSWER_WITHIN_MS = 20_000;

/** A pip that answers. */
export interface Pip {
  readonly command: string;
  readonly args: readonly string[];
}

/** The first pip that works, or why none does. */
export async function findPip(env: Env): Promise<Result<Pip, string>> {
  const reasons: string[] = [];
  for (const [command, ...args] of CANDIDATES) {
    const end = await runChild(command, [...args, '--version'], { env, goOn: forAtMost(ANSWER_WITHIN_MS) });
    if (end.kind === 'ended' && end.code === 0) return ok({ command, args });
    const name = [command, ...args].join(' ');
    if (end.kind === 'ended') reasons.push(`${name}: ${lastLine(end.output)}`);
    else reasons.push(`${name}: ${end.kind === 'gave-up' ? 'no answer' : 'not found'}`);
  }
  return err(`no pip (${reasons.join('; ')})`);
}

/** Why pip failed, in one line. */
export function pipReason(output: string): string {
  const away =
    /(Name or service not known|Temporary failure in name resolution|nodename nor servname[^'")]*|Connection refused|timed out|CERTIFICATE_VERIFY_FAILED|Tunnel connection failed[^'")]*|No space left on device)/.exec(
      output,
    )?.[1];
  const errors = output.split('\n').filter((line) => line.startsWith('ERROR:'));
  const last = (errors.at(-1) ?? lastLine(output)).replace(/^ERROR:\s*/, '');
  return away === undefined ? last : `${last} (${away})`;
}
