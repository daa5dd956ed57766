/** What commands print. Scripts get JSON on stdout; people get text, and colour where it is a terminal. */
import pc from 'picocolors';
import { exitCode, type RailyardError } from '../src/errors';

export interface TemplateProblemLike {
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

/** Print a line for people. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Print a value for scripts: one JSON object on stdout. */
export function sayJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** End a command with an error: the envelope for scripts, one screen of text for people. */
export function fail(error: RailyardError, json: boolean): void {
  process.exitCode = exitCode(error);
  if (json) sayJson({ error });
  else process.stderr.write(`${renderError(error)}\n`);
}

/** At most this many problems are listed; a screen holds no more. */
const MAX_PROBLEMS = 12;

/** An error as a person reads it: what, where, and what to do. */
export function renderError(error: RailyardError): string {
  const problems = problemsIn(error);
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .flatMap(({ pointer, message, fix }) => [
      `  ${pc.bold(pointer === '' ? '/' : pointer)}: ${message}`,
      `    ${pc.dim('fix:')} ${fix}`,
    ]);
  const more = problems.length > MAX_PROBLEMS ? [`  … and ${problems.length - MAX_PROBLEMS} more`] : [];
  return [
    `${pc.red('error')} ${pc.dim(error.code)}: ${error.message}`,
    ...shown,
    ...more,
    `${pc.dim('what to do:')} ${error.suggestion}`,
  ].join('\n');
}

function problemsIn({ details }: RailyardError): TemplateProblemLike[] {
  const list: unknown = details?.problems;
  return Array.isArray(list) ? list.filter(isProblem) : [];
}

function isProblem(value: unknown): value is TemplateProblemLike {
  return (
    typeof value === 'object' && value !== null && 'pointer' in value && 'message' in value && 'fix' in value
  );
}
