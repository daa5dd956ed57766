import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { err, ok, type Result } from 'neverthrow';
import { TEMPORAL_VERSION, THIS_PLATFORM } from './pinned';
import { tryProgram } from './try-program';
import { codeOf, type Ground, type TemporalProgram, type Way, type WayName } from './ways';

/**
 * Fetched programs: `<cacheDir>/temporal-<version>-<platform>` and beside it `….sha256`, the digest it had when it
 * was put there. The name carries the pinned version, so a newer Railyard fetches the newer one.
 */
export function cachedProgramPath(cacheDir: string): string {
  return join(
    cacheDir,
    `temporal-${TEMPORAL_VERSION}-${THIS_PLATFORM}${process.platform === 'win32' ? '.exe' : ''}`,
  );
}

const sidecarOf = (path: string): string => `${path}.sha256`;

/** SHA-256 of a file, in hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The program in the cache. One that is not what was put there is removed, so that it is fetched again. */
export const cacheWay: Way = async ({ cacheDir, env, say }) => {
  const path = cachedProgramPath(cacheDir);
  const found = await sha256OfFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return err(`nothing at ${path} yet`);
  const recorded = (await readFile(sidecarOf(path), 'utf8').catch(() => '')).trim();
  const reason =
    recorded === ''
      ? 'nothing records its SHA-256'
      : recorded === found
        ? null
        : `its SHA-256 is ${found}, but ${recorded} was put there`;
  if (reason === null) {
    const version = await tryProgram(path, env);
    return version
      .map((value): TemporalProgram => ({ path, from: 'cache', version: value }))
      .mapErr((why) => `${path}: ${why}`);
  }
  await rm(path, { force: true });
  await rm(sidecarOf(path), { force: true });
  say(`Removed ${path}: ${reason}.`);
  return err(`removed ${path}: ${reason}`);
};

/** A folder of its own inside the cache, gone afterwards. On the same file system as the cache, so a rename is atomic. */
export async function withFetchFolder<T>(cacheDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(cacheDir, { recursive: true });
  await removeLeftovers(cacheDir);
  const folder = await mkdtemp(join(cacheDir, `fetch-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folders of processes that were killed while they fetched. */
async function removeLeftovers(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    const pid = Number(/^fetch-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isAlive(pid))
      await rm(join(cacheDir, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Move a fetched program into the cache. Two processes may do this at once: both move whole files over one another,
 * and a program whose sidecar does not fit is fetched again at worst.
 */
export async function keepProgram(
  file: string,
  from: WayName,
  { cacheDir, env }: Ground,
): Promise<Result<TemporalProgram, string>> {
  await chmod(file, 0o755);
  const version = await tryProgram(file, env);
  if (version.isErr()) return err(`the fetched program is unusable: ${version.error}`);
  const path = cachedProgramPath(cacheDir);
  const sidecar = join(cacheDir, `.${basename(sidecarOf(path))}.${randomUUID()}`);
  await writeFile(sidecar, `${await sha256OfFile(file)}\n`);
  await rename(sidecar, sidecarOf(path));
  await rename(file, path);
  return ok({ path, from, version: version.value });
}
