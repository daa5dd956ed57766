/**
 * The data directory of one Railyard: what it holds and where.
 *
 *   format.json      the format's version and the id of this store
 *   lock             held by the one service that runs here
 *   endpoint.json    where that service listens
 *   key              the local key (mode 600)
 *   keys/            keys of people and programs, hashed
 *   factories/       compiled factories, by hash
 *   runs/<run>/      the run's record, and a folder for each attempt
 *   completed/       what completed runs left to the next ones of their kind
 *   webhook-secret   what the secrets of webhooks are made from (mode 600)
 *   webhooks/        calls of webhooks that were taken, for as long as they could be sent again
 *   schedules/       schedules of runs, with what became of each tick
 *   claims/          which run owns which workspace
 *   imports/         bundles that are being received over HTTP
 *   workspaces/      workspaces of runs that did not name one
 *   workflows/       workflows of the user, for agents
 *   artifacts/       artifacts, by digest: those of blocks and those of sessions
 *   workrail/        the WorkRail store: sessions/, snapshots/, workflows/pinned/, keys/keyring.json, retention.json
 *   programs/, temporal.db, logs/   the embedded Temporal server
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { problem, type RailyardError } from '../errors';
import { writeOnce } from './atomic-file';
import { isErrno } from '../errno';
import { parseJson } from './parse-json';

/** Of the layout above; another one is refused, never guessed at. */
const FORMAT = 1;

const FormatFile = z.object({ format: z.number(), store: z.string() });

/** An opened data directory. */
export interface Home {
  readonly root: string;
  /** The id of this store; the task queue of its runs carries it. */
  readonly store: string;
  /** The local key: whoever can read it may act for anybody on this machine. */
  readonly key: string;
  path(...parts: readonly string[]): string;
}

/** Where the data directory is: RAILYARD_HOME, else `~/.railyard`. */
export function homeRoot(env: NodeJS.ProcessEnv): string {
  const named = env.RAILYARD_HOME;
  return resolve(named === undefined || named === '' ? join(homedir(), '.railyard') : named);
}

/** Open a data directory, making it if need be. */
export async function openHome(root: string): Promise<Result<Home, RailyardError>> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await access(root, constants.W_OK);
    const format = await readFormat(root);
    if (format.isErr()) return err(format.error);
    for (const folder of ['factories', 'runs', 'schedules', 'claims', 'workspaces', 'artifacts', 'logs']) {
      await mkdir(join(root, folder), { recursive: true });
    }
    const key = await readOrMake(join(root, 'key'), () => `ry_${randomBytes(24).toString('base64url')}`);
    return ok({ root, store: format.value, key: key.trim(), path: (...parts) => join(root, ...parts) });
  } catch (error) {
    return err(unusable(root, error));
  }
}

/** The store's id; a new directory gets one. */
async function readFormat(root: string): Promise<Result<string, RailyardError>> {
  const fresh = (): string => JSON.stringify({ format: FORMAT, store: randomUUID() });
  const text = await readOrMake(join(root, 'format.json'), fresh, 0o644);
  const parsed = FormatFile.safeParse(parseJson(text));
  if (parsed.success && parsed.data.format === FORMAT) return ok(parsed.data.store);
  const found = parsed.success ? `format ${parsed.data.format}` : 'a format that cannot be read';
  return err(
    problem(
      'HOME_FORMAT_UNKNOWN',
      `The data directory ${root} has ${found}; this version reads format ${FORMAT}.`,
    ),
  );
}

/** A small file that is made once; whoever comes second reads what the first one wrote. */
export async function readOrMake(path: string, make: () => string, mode = 0o600): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isErrno(error) || error.code !== 'ENOENT') throw error;
  }
  await writeOnce(path, make(), mode);
  return readFile(path, 'utf8');
}

/** The operating system's word on a data directory, as ours. */
export function unusable(root: string, error: unknown): RailyardError {
  const code = isErrno(error) ? error.code : undefined;
  const why =
    code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
      ? 'it may not be written to'
      : code === 'ENOTDIR' || code === 'EEXIST'
        ? 'a part of the path is a file'
        : code === 'ENOSPC'
          ? 'the disk is full'
          : error instanceof Error
            ? error.message
            : String(error);
  return problem('HOME_UNUSABLE', `The data directory ${root} cannot be used: ${why}.`);
}
