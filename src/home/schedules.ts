/**
 * The records of schedules: what they start and when. Whether one is paused, and when it is due, Temporal knows.
 *
 *   schedules/<name>.<generation>/schedule.json   made once; a name that was deleted comes back as the next generation
 *                                 deleted.json    there where it was deleted
 *                                 ticks/          what became of each tick, by the time it was taken
 *                                 moments/        seconds that "run now" has used
 *                                 requests/       what an Idempotency-Key was first used for
 */
import { mkdir, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { type JsonObject } from '../canonical';
import { isMissing } from '../errno';
import { problem, type RailyardError } from '../errors';
import { writeAtomic, writeOnce } from './atomic-file';
import { type Home } from './home';
import { readJson } from './parse-json';

/** zod's own JSON type is writable; ours is not, and nothing here writes. */
const parameters: z.ZodType<JsonObject> = z.record(z.string(), z.json());

const ScheduleRecord = z.object({
  version: z.literal(1),
  name: z.string(),
  generation: z.int(),
  factory: z.string(),
  factoryHash: z.string(),
  /** As they were given; what stands for the time of a tick is filled in at each. */
  parameters,
  cron: z.string(),
  timeZone: z.string(),
  overlap: z.enum(['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'terminate_other', 'allow_all']),
  catchUpSeconds: z.int(),
  pauseOnFailure: z.boolean(),
  startedBy: z.string(),
  createdAt: z.string(),
});

/** What a schedule starts, and when. */
export type ScheduleRecord = z.infer<typeof ScheduleRecord>;

const TickRecord = z.object({
  version: z.literal(1),
  /** The time it is for. */
  at: z.string(),
  takenAt: z.string(),
  run: z.string(),
  /** The envelope of why no run was started; null: one was. */
  refusal: z.record(z.string(), z.unknown()).nullable(),
});

/** What became of one tick. */
export interface TickRecord extends Omit<z.infer<typeof TickRecord>, 'refusal'> {
  readonly refusal: RailyardError | null;
}

/** What may be the name of a schedule: a part of run ids, of a folder and of a URL. */
export const SCHEDULE_NAME = /^[a-z][a-z0-9-]{0,59}$/;

const FOLDER = /^(?<name>[a-z][a-z0-9-]*)\.(?<generation>[1-9]\d{0,8})$/;

/** Keep a schedule under the next generation of its name; false where another one has got there first. */
export async function saveSchedule(home: Home, record: ScheduleRecord): Promise<boolean> {
  for (const part of ['ticks', 'moments', 'requests']) {
    await mkdir(pathOf(home, record, part), { recursive: true });
  }
  return writeOnce(pathOf(home, record, 'schedule.json'), JSON.stringify(record));
}

/** A schedule that is not deleted, of one generation or the last there is. */
export async function readSchedule(
  home: Home,
  name: string,
  generation?: number,
): Promise<Result<ScheduleRecord, RailyardError>> {
  const wanted = generation ?? (await lastGeneration(home, name));
  const record = readRecord(home, { name, generation: wanted });
  const there = record && !existsSync(pathOf(home, record, 'deleted.json'));
  return there ? ok(record) : err(problem('SCHEDULE_NOT_FOUND', `There is no schedule "${name}".`));
}

/** The last generation that the name of a schedule has had; 0: none. */
export async function lastGeneration(home: Home, name: string): Promise<number> {
  const generations = (await folders(home)).flatMap((one) => (one.name === name ? one.generation : []));
  return Math.max(0, ...generations);
}

/** Every schedule that is not deleted, by name. */
export async function listSchedules(home: Home): Promise<readonly ScheduleRecord[]> {
  const names = [...new Set((await folders(home)).map(({ name }) => name))].sort();
  const found = await Promise.all(names.map((name) => readSchedule(home, name)));
  return found.flatMap((record) => record.unwrapOr([]));
}

/** Delete a schedule for good; its name is free again. */
export async function deleteSchedule(home: Home, record: ScheduleRecord): Promise<void> {
  const note = { at: new Date().toISOString() };
  await writeAtomic(pathOf(home, record, 'deleted.json'), JSON.stringify(note));
}

/** Keep what became of a tick. The names sort by when it was taken. */
export async function saveTick(home: Home, schedule: ScheduleRecord, tick: TickRecord): Promise<void> {
  const name = `${tick.takenAt} ${tick.at}`.replaceAll(/[^0-9TZ ]/g, '').replace(' ', '-');
  await writeAtomic(pathOf(home, schedule, 'ticks', `${name}.json`), JSON.stringify(tick));
}

/** What became of the last ticks, the newest first; of one that was taken twice, the last time. */
export async function listTicks(
  home: Home,
  schedule: ScheduleRecord,
  limit: number,
): Promise<readonly TickRecord[]> {
  const names = (await namesIn(pathOf(home, schedule, 'ticks'))).filter((name) => name.endsWith('.json'));
  const ticks = new Map<string, TickRecord>();
  for (const name of names.sort().reverse()) {
    if (ticks.size >= limit) break;
    const parsed = TickRecord.safeParse(readJson(pathOf(home, schedule, 'ticks', name)));
    if (!parsed.success || ticks.has(parsed.data.at)) continue;
    // The refusal is an envelope that this program wrote.
    ticks.set(parsed.data.at, parsed.data as TickRecord);
  }
  return [...ticks.values()];
}

/** Take the first second from a moment on that no tick of any cron can have and nobody has taken. */
export async function takeMoment(home: Home, schedule: ScheduleRecord, now: Date): Promise<Date> {
  for (let second = Math.floor(now.getTime() / 1000); ; second += 1) {
    // A cron of five fields ticks at full minutes.
    if (second % 60 === 0) continue;
    if (await writeOnce(pathOf(home, schedule, 'moments', String(second)), ''))
      return new Date(second * 1000);
  }
}

/** What a request was first made for, by its key; null: the key is new. */
export function readRequest(home: Home, place: Place, key: string): JsonObject | null {
  return parameters.safeParse(readJson(pathOf(home, place, 'requests', `${key}.json`))).data ?? null;
}

/** Keep what a request was first made for, under its key; answers with what is kept. */
export async function keepRequest(
  home: Home,
  schedule: ScheduleRecord,
  key: string,
  make: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const before = readRequest(home, schedule, key);
  if (before) return before;
  const mine = await make();
  const path = pathOf(home, schedule, 'requests', `${key}.json`);
  return (await writeOnce(path, JSON.stringify(mine))) ? mine : parameters.parse(readJson(path));
}

type Place = Pick<ScheduleRecord, 'name' | 'generation'>;

const pathOf = (home: Home, { name, generation }: Place, ...parts: readonly string[]): string =>
  home.path('schedules', `${name}.${generation}`, ...parts);

function readRecord(home: Home, place: Place): ScheduleRecord | null {
  if (!SCHEDULE_NAME.test(place.name)) return null;
  const parsed = ScheduleRecord.safeParse(readJson(pathOf(home, place, 'schedule.json')));
  return parsed.success ? parsed.data : null;
}

async function folders(home: Home): Promise<Place[]> {
  return (await namesIn(home.path('schedules'))).flatMap((folder) => {
    const { name, generation } = FOLDER.exec(folder)?.groups ?? {};
    return name === undefined ? [] : { name, generation: Number(generation) };
  });
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
