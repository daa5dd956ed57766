/** The runtime that needs no model: `skills/<name>/run.mjs <request.json> <result.json>` in a process of its own. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { tail } from './bounded-text';
import { runProcess, STDERR_LOG, type ProcessEnd } from './child-process';
import { Secrets } from './secrets';
import { baseEnv } from './skill-env';
import { findProgram } from './skill-folder';
import { type SkillJob, type SkillOutcome, type SkillRuntime } from './skill-runtime';

/** Limits of the local runtime. */
export interface LocalProgramOptions {
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs?: number;
  /** Of each log file. */
  readonly logBytes?: number;
}

const REQUEST = 'request.json';
const RESULT = 'result.json';
/** A result is metrics, a note and records; whatever is larger belongs into an artifact. */
const MAX_RESULT_BYTES = 1_048_576;
/** So much of stderr is in the error text. */
const STDERR_BYTES = 2_048;

/** The local runtime. */
export function createLocalProgram(options: LocalProgramOptions = {}): SkillRuntime {
  const { graceMs = 5_000, logBytes = 1_048_576 } = options;
  return { name: 'local-program', run: (job, signal) => perform(job, signal, { graceMs, logBytes }) };
}

async function perform(
  job: SkillJob,
  signal: AbortSignal,
  limits: Required<LocalProgramOptions>,
): Promise<SkillOutcome> {
  const { request, dir, skillDirs, env, timeoutMs, onStart } = job;
  const skill = `The skill "${request.skill}"`;
  if (signal.aborted) return { kind: 'cancelled', error: `${skill} was cancelled before it started.` };
  const program = await findProgram(request.skill, skillDirs);
  if (program === null) {
    const searched = skillDirs.join(', ') || 'no folder: set the skill folders';
    return failed(`${skill} has no run.mjs. Add its folder to one of the skill folders (${searched}).`);
  }
  const files = { request: join(dir, REQUEST), result: join(dir, RESULT) };
  // What an earlier execution of this attempt left must not pass as a result.
  await rm(files.result, { recursive: true, force: true });
  await writeFile(files.request, `${JSON.stringify(request, null, 2)}\n`);
  const secrets = new Secrets(env);
  const end = await runProcess(
    {
      program: process.execPath,
      args: [program, files.request, files.result],
      cwd: request.workspace,
      env: { ...baseEnv(process.env), ...env },
      dir,
      timeoutMs,
      secrets,
      onStart,
      ...limits,
    },
    signal,
  );
  return judge(end, skill, job) ?? (await readResult(files.result, skill, secrets));
}

/** The outcome of an end that was not a good one; null: there should be a result. */
function judge(end: ProcessEnd, skill: string, { dir, timeoutMs }: SkillJob): SkillOutcome | null {
  const said = lastWords(end, dir);
  if (end.stopped === 'cancelled') return { kind: 'cancelled', error: `${skill} was cancelled.` };
  if (end.stopped === 'timeout') {
    const advice = 'Raise "timeout" in its block, or give it less to do.';
    const error = `${skill} was stopped at its time-out of ${timeoutMs} ms. ${advice}${said}`;
    return { kind: 'failed', failure: 'timeout', error };
  }
  if (end.signal !== null) {
    return failed(
      `${skill} was killed by ${end.signal}, not by Railyard. Check the machine's memory.${said}`,
    );
  }
  return end.code === 0 ? null : failed(`${skill} ended with exit code ${end.code ?? 'unknown'}.${said}`);
}

/** The one place that shows what a skill said on stderr. */
function lastWords({ stderr }: ProcessEnd, dir: string): string {
  const log = join(dir, STDERR_LOG);
  const words = stripVTControlCharacters(tail(stderr, STDERR_BYTES)).trim();
  return words === ''
    ? ` It said nothing on stderr.`
    : ` Its last words (all of them are in ${log}):\n${words}`;
}

async function readResult(path: string, skill: string, secrets: Secrets): Promise<SkillOutcome> {
  const contract =
    'It must write one JSON object {metrics, notes, records} to the path of its second argument.';
  const size = await sizeOf(path);
  if (size === null) return failed(`${skill} ended without a result. ${contract}`);
  if (size > MAX_RESULT_BYTES) {
    const limit = `at most ${MAX_RESULT_BYTES} are read`;
    return failed(`${skill} wrote a result of ${size} bytes; ${limit}. Put large things into artifacts.`);
  }
  const text = await readFile(path, 'utf8');
  const given = parseJson(text);
  const shown = given === undefined ? secrets.hide(text) : JSON.stringify(secrets.hideIn(given));
  if (shown !== (given === undefined ? text : JSON.stringify(given))) await writeFile(path, shown);
  if (given === undefined) return failed(`${skill} wrote a result that is not JSON. ${contract}`);
  return { kind: 'finished', result: given };
}

const failed = (error: string): SkillOutcome => ({ kind: 'failed', failure: 'error', error });

async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
