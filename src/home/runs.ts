/** The records of runs: what a run was started with. How far it is, its session knows. */
import { mkdir, readdir } from 'node:fs/promises';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { type JsonObject } from '../canonical';
import { problem, type RailyardError } from '../errors';
import { writeOnce } from './atomic-file';
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
  startedBy: z.string(),
  createdAt: z.string(),
  /** Of a run that a schedule started: the workflow that prepared it, and starts it. */
  tick: z.object({ schedule: z.string(), workflow: z.string() }).optional(),
});

/** What a run was started with. */
export type RunRecord = z.infer<typeof RunRecord>;

/** Keep a record; RUN_EXISTS where the id is taken. */
export async function saveRun(home: Home, record: RunRecord): Promise<Result<void, RailyardError>> {
  await mkdir(home.path('runs', record.run), { recursive: true });
  const fresh = await writeOnce(home.path('runs', record.run, 'run.json'), JSON.stringify(record));
  return fresh ? ok() : err(problem('RUN_EXISTS', `There is a run "${record.run}" already.`));
}

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
