import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { err, type Result } from 'neverthrow';
import { compiledFile } from './compiled-file';
import { TEMPORAL_VERSION } from './pinned';
import { keepProgram, withFetchFolder } from './program-cache';
import { megabytes, watchDownload } from './progress';
import { lastLine, runChild } from './run-child';
import { type Ground, type TemporalProgram, type Way } from './ways';

const STALL_MS = 20_000;

/** The SDK's own downloader, which fetches from temporal.download. */
export const sdkWay: Way = (ground) =>
  withFetchFolder(ground.cacheDir, (folder) => {
    ground.say(`Fetching the Temporal CLI ${TEMPORAL_VERSION} by the Temporal SDK`);
    return downloadBySdk(folder, ground);
  });

/** Download into `folder` and keep what came. */
export async function downloadBySdk(
  folder: string,
  ground: Ground,
): Promise<Result<TemporalProgram, string>> {
  const script = compiledFile('sdk-download.js');
  if (script === null) return err('sdk-download.js is missing: Railyard is not built');
  const end = await runChild(process.execPath, [script, folder, `v${TEMPORAL_VERSION}`], {
    env: ground.env,
    goOn: watchDownload(folder, {
      say: ground.say,
      line: (bytes) => `Temporal CLI by the SDK: ${megabytes(bytes)}`,
      stallMs: STALL_MS,
    }),
  });
  // The SDK gives the file this name when it is complete. A server that then starts too slowly for the SDK's own
  // limit of five seconds does not make the download worse.
  const file = join(folder, `temporal-v${TEMPORAL_VERSION}${process.platform === 'win32' ? '.exe' : ''}`);
  if (existsSync(file)) return keepProgram(file, 'sdk', ground);
  if (end.kind === 'not-started') return err(end.reason);
  if (end.kind === 'gave-up') return err(`temporal.download sent nothing for ${STALL_MS / 1000} s`);
  return err(`temporal.download: ${readable(lastLine(end.output)) || 'the download left no file'}`);
}

/** The SDK wraps one cause several times and repeats the URL each time; the cause is what helps. */
function readable(message: string): string {
  return message
    .replace(/^Failed to start ephemeral server: /, '')
    .replace(/^failed to download ephemeral server executable: /, '')
    .replaceAll(/error sending request for url \([^)]*\): /g, '')
    .replace(/^(.+): \1$/, '$1');
}
