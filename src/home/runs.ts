/** The records of runs: what a run was started with. How far it is, its session knows. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { type JsonObject } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { writeAtomic, writeOnce } from './atomic-file';
import { type Home } from './home';
import { readJson } from './parse-json';

/** zod's own JSON type is writable; ours is not, and nothing here writes. */
const parameters: z.ZodType<JsonObject> = z.record(z.string(), z.json());

const RunRecord = z.object({
  version: z.literal(1),
  run: z.string(),
  /** The WorkRail session that holds its truth. */
  sessionId: z.string(),
  factory: z.string(),
  factoryHash: z.string(),
  parameters,
  /** What `{{workspace_path}}` stands for where no parameter has that name. */
  workspacePath: z.string(),
  /** Where the run works: absolute, symlinks resolved. */
  workspace: z.string(),
  /** How skills are shown that place, where there are links on the way; absent: as it is. */
  shownWorkspace: z.string().optional(),
  startedBy: z.string(),
  createdAt: z.string(),
  /** Of a run that a schedule started: the workflow that prepared it, and starts it. */
  tick: z.object({ schedule: z.string(), workflow: z.string() }).optional(),
  /** Of a run that came from another data directory: when, in which bundle, and which epoch drove it last by then. */
  imported: z.object({ at: z.string(), bundle: z.string(), epoch: z.number() }).optional(),
});

/** What a run was started with. */
export type RunRecord = z.infer<typeof RunRecord>;

/** Keep a record; RUN_EXISTS where the id is taken. */
export async function saveRun(home: Home, record: RunRecord): Promise<Result<void, RailyardError>> {
  await mkdir(home.path('runs', record.run), { recursive: true });
  const fresh = await writeOnce(home.path('runs', record.run, 'run.json'), JSON.stringify(record));
  return fresh ? ok() : err(problem('RUN_EXISTS', `There is a run "${record.run}" already.`));
}

/** Write a record over the one there is: the run has come back from elsewhere, further on. */
export async function replaceRun(home: Home, record: RunRecord): Promise<void> {
  await mkdir(home.path('runs', record.run), { recursive: true });
  await writeAtomic(home.path('runs', record.run, 'run.json'), JSON.stringify(record));
}

/** The note that a run has moved away: it goes on elsewhere. */
const moved = (home: Home, run: string): string => home.path('runs', run, 'moved.json');

/** Note that a run goes on in another data directory, so that it is not resumed here by mistake. */
export async function noteMoved(home: Home, run: string, at: Date): Promise<void> {
  await writeAtomic(moved(home, run), JSON.stringify({ at: at.toISOString() }));
}

/** The run goes on here again. */
export async function forgetMoved(home: Home, run: string): Promise<void> {
  await rm(moved(home, run), { force: true });
}

/** Has this run moved away? */
export const hasMoved = (home: Home, run: string): boolean =>
  RUN_ID.test(run) && existsSync(moved(home, run));

/** The record of a run. */
export function readRun(home: Home, run: string): Result<RunRecord, RailyardError> {
  // A run id is also the name of a folder; what cannot be one is no run.
  const parsed = RUN_ID.test(run) ? RunRecord.safeParse(readJson(home.path('runs', run, 'run.json'))) : null;
  return parsed?.success ? ok(parsed.data) : err(problem('RUN_NOT_FOUND', `There is no run "${run}".`));
}

/** Every run, the newest first. */
export async function listRuns(home: Home): Promise<readonly RunRecord[]> {
  const names = await readdir(home.path('runs'));
  return names
    .flatMap((name) => readRun(home, name).unwrapOr([]))
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
}

/** What may be the id of a run: the name of a folder, of a Temporal workflow and of a part of a URL. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,119}$/;

/** The folder of one attempt: its request, result and logs. */
export function attemptDir(home: Home, run: string, block: string, attempt: number): string {
  return home.path('runs', run, 'attempts', `${block}.${attempt}`);
}
