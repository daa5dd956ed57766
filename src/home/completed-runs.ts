/**
 * What completed runs left to the next run of the same factory with the same parameters, one file a run:
 * `completed/<factory and parameters, hashed>/<when>-<run>.json`. Files are only added, and a run is given what had been
 * completed when it began: whenever it asks, and however often, it gets the same.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../canonical';
import { isMissing } from '../errno';
import { type ArtifactRef } from '../factory/run-state';
import { writeAtomic } from './atomic-file';
import { type Home } from './home';
import { readJson } from './parse-json';
import { type RunRecord } from './runs';

const Artifact: z.ZodType<ArtifactRef> = z.object({
  ...{ key: z.string(), path: z.string(), format: z.string() },
  ...{ digest: z.string(), bytes: z.number() },
});
const CompletedFile = z.object({
  version: z.literal(1),
  run: z.string(),
  artifacts: z.record(z.string(), z.array(Artifact)),
});

/** Milliseconds since 1970 with leading zeros sort as texts. */
const WHEN_DIGITS = 15;
const whenOf = (ms: number): string => String(ms).padStart(WHEN_DIGITS, '0');

/** Keep what a run leaves that was completed at this time. Once more does no harm. */
export async function saveCompletion(
  home: Home,
  record: RunRecord,
  artifacts: Readonly<Record<string, readonly ArtifactRef[]>>,
  at: number,
): Promise<void> {
  await mkdir(folderOf(home, record), { recursive: true });
  await writeAtomic(fileOf(home, record, at), JSON.stringify({ version: 1, run: record.run, artifacts }));
}

/** Is it kept what this run leaves? */
export const hasCompletion = (home: Home, record: RunRecord, at: number): boolean =>
  existsSync(fileOf(home, record, at));

/** What a block left in the last run of its kind that was completed when this one began; none where there is none. */
export async function previousArtifacts(
  home: Home,
  record: RunRecord,
  block: string,
): Promise<readonly ArtifactRef[]> {
  const folder = folderOf(home, record);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const began = whenOf(Date.parse(record.createdAt));
  const before = names.filter((name) => name.endsWith('.json') && name.slice(0, WHEN_DIGITS) <= began);
  for (const name of before.sort().reverse()) {
    const file = CompletedFile.safeParse(readJson(`${folder}/${name}`));
    // One that somebody has damaged is passed over.
    if (file.success)
      return Object.hasOwn(file.data.artifacts, block) ? (file.data.artifacts[block] ?? []) : [];
  }
  return [];
}

const fileOf = (home: Home, record: RunRecord, at: number): string =>
  `${folderOf(home, record)}/${whenOf(at)}-${record.run}.json`;

function folderOf(home: Home, { factory, parameters }: RunRecord): string {
  const text = canonicalJson([factory, parameters]);
  if (text.isErr()) throw new Error(`Bug: the parameters of a run are not JSON: ${text.error.reason}`);
  return home.path('completed', sha256Hex(text.value));
}
