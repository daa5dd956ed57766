import { err, ok, type Result } from 'neverthrow';
import { OLDEST_TEMPORAL_VERSION } from './pinned';
import { forAtMost, lastLine, runChild } from './run-child';
import { type Env } from './ways';

const ANSWER_WITHIN_MS = 10_000;

/** Ask a program for its version: the version, or in one line why it is not a Temporal program we can use. */
export async function tryProgram(path: string, env: Env): Promise<Result<string, string>> {
  const end = await runChild(path, ['--version'], { env, goOn: forAtMost(ANSWER_WITHIN_MS) });
  if (end.kind === 'not-started') return err(`it cannot be run (${end.reason})`);
  if (end.kind === 'gave-up') return err(`no answer to --version within ${ANSWER_WITHIN_MS / 1000} s`);
  if (end.code !== 0) {
    return err(
      `--version ended with ${end.code ?? 'a signal'}${end.output ? `: ${lastLine(end.output)}` : ''}`,
    );
  }
  const version = /^temporal version v?(\d+\.\d+\.\d+\S*)/m.exec(end.output)?.[1];
  if (version === undefined) return err(`it is not the Temporal CLI (it answers "${lastLine(end.output)}")`);
  if (isOlder(version, OLDEST_TEMPORAL_VERSION)) {
    return err(`its version ${version} is older than ${OLDEST_TEMPORAL_VERSION}`);
  }
  return ok(version);
}

/** By major, minor and patch; what follows them does not count. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  for (const [index, number] of a.entries()) {
    const other = b[index] ?? 0;
    if (number !== other) return number < other;
  }
  return false;
}

const numbersOf = (version: string): number[] => (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);
