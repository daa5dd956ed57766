import { setTimeout as pause } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { compiledFile } from './compiled-file';
import { type DevServer } from './dev-server';
import { startGuarded, type ServerExit } from './guarded-server';
import { reach } from './reach';
import { serverArguments } from './server-arguments';
import { logEnd, logTail } from './server-log';
import { isPortTaken } from './start-failure';
import { type Env } from './ways';

/** How long a server that answers is watched where it does not say which port it has. */
const WATCHED_MS = 1_500;
const LOOK_EVERY_MS = 20;

/** A start, on whichever port. */
export interface Start {
  readonly program: string;
  readonly namespace: string;
  readonly dataDir: string;
  readonly logFile: string;
  readonly pidFile: string;
  readonly env: Env;
  readonly readyWithinMs: number;
}

/** What happened, as a sentence, and what the server had to say. */
export interface Failed {
  readonly sentence: string;
  readonly lines: readonly string[];
}

/** Start the server on a port and wait until it is ready; where it is not, nothing of it is left. */
export async function startOn(port: number, start: Start): Promise<Result<DevServer, Failed>> {
  const { namespace, dataDir, logFile, readyWithinMs } = start;
  const logStart = logEnd(logFile);
  const lines = () => logTail(logFile, logStart);
  const failed = (sentence: string) => err({ sentence, lines: lines() });

  const guard = compiledFile('guard.js');
  if (guard === null) return failed('The Temporal dev server needs guard.js: Railyard is not built.');
  const args = serverArguments(port, namespace);
  const guarded = await startGuarded({ ...start, guard, args, cwd: dataDir });
  if (guarded.isErr()) return failed(`The Temporal dev server could not be started: ${guarded.error}.`);

  const address = `127.0.0.1:${port}`;
  const { server, exited, stop } = guarded.value;
  const ended = new AbortController();
  const ending = exited.then((exit) => {
    ended.abort();
    return err(sentenceOf(exit));
  });
  const answering = reach({ address }, namespace, { withinMs: readyWithinMs, signal: ended.signal });
  const late = `The Temporal dev server was not ready within ${readyWithinMs / 1000} s`;
  const answer = await Promise.race([
    ending,
    answering.then((reached) => reached.mapErr(({ sentence }) => `${late}: ${sentence}`)),
  ]);
  const ready = answer.isErr() ? answer : await Promise.race([ending, listens(port, lines)]);
  if (ready.isOk()) return ok({ address, pid: server.pid, stop, exited });
  await stop();
  return failed(ready.error);
}

/**
 * Whether it is our server that answers, and not one of someone else who took the port: ours says that it has the
 * port, or ends.
 */
async function listens(port: number, lines: () => readonly string[]): Promise<Result<undefined, never>> {
  const end = Date.now() + WATCHED_MS;
  while (Date.now() < end) {
    const said = lines();
    if (!isPortTaken(said) && said.some((line) => line.includes(`:${port}`))) break;
    await pause(LOOK_EVERY_MS);
  }
  return ok(undefined);
}

const sentenceOf = ({ code, signal }: ServerExit): string =>
  `The Temporal dev server ended while it was starting (${signal ?? `exit code ${code ?? 'unknown'}`}).`;
