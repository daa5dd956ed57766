/** The use cases of schedules: create, read, list, pause, resume, run now, delete. Backfill has a file of its own. */
import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { err, ok, type Result } from 'neverthrow';
import { type JsonObject } from '../../src/canonical';
import { problem, type RailyardError } from '../../src/errors';
import { compileTemplate, type Compilation } from '../../src/factory/compile';
import { nextTick, parseCron } from '../../src/factory/walk';
import {
  deleteSchedule,
  FactoryShelf,
  keepRequest,
  lastGeneration,
  listSchedules,
  listTicks,
  readRequest,
  readRun,
  readSchedule,
  saveSchedule,
  takeMoment,
  type ScheduleRecord,
} from '../../src/home';
import { inTurn } from '../../src/sandbox';
import { type FactoryRuns } from '../factory-runs';
import { isAway } from '../temporal-calls';
import { lineOf, tickView, viewOf, type ScheduleLine, type ScheduleView, type Seen } from './schedule-view';
import { TemporalSchedule } from './temporal-schedule';
import { tickRun } from './tick-ids';
import { tickParameters } from './tick-parameters';
import { readTimeZone } from './time-zone';

const TICKS_SHOWN = 20;

/** A request to create a schedule. */
export interface ScheduleRequest extends Omit<
  ScheduleRecord,
  'version' | 'generation' | 'factory' | 'factoryHash' | 'createdAt'
> {
  readonly template: unknown;
}

/** A run that was asked for; `fresh`: by this request. */
export interface RunNow {
  readonly run: string;
  readonly at: Date;
  readonly fresh: boolean;
}

/** What is asked of a list. */
export interface ScheduleQuery {
  readonly limit: number;
  readonly factory?: string | undefined;
  readonly cursor?: string | undefined;
}

/** What a creation came to; `fresh`: it is this request that created the schedule. */
export interface Created {
  readonly view: ScheduleView;
  readonly warnings: string[];
  readonly fresh: boolean;
}

export class Schedules {
  private readonly shelf: FactoryShelf;
  constructor(private readonly runs: FactoryRuns) {
    this.shelf = new FactoryShelf(runs.home);
  }

  /**
   * Create a schedule. One that could never start a run is refused. The same again finds the one that is there; under its
   * key also after it was deleted, and then nothing is created anew.
   */
  async create(
    { template, ...wanted }: ScheduleRequest,
    key: string | null = null,
  ): Promise<Result<Created, RailyardError>> {
    const { home, taskQueue } = this.runs;
    const timeZone = readTimeZone(wanted.timeZone);
    if (timeZone.isErr()) return err(timeZone.error);
    const compilation = compileTemplate(template);
    if (compilation.isErr()) return err(compilation.error);
    const asked = { ...wanted, timeZone: timeZone.value };
    const unused = await this.check(compilation.value, asked);
    if (unused.isErr()) return err(unused.error);
    // Two must not take the same name under two generations.
    const recorded = await inTurn(`schedules of ${home.root}`, () =>
      this.record(compilation.value, asked, key),
    );
    if (recorded.isErr()) return err(recorded.error);
    const record = recorded.value;
    const created = await this.temporal(record).create(taskQueue);
    if (created.isErr()) {
      const suggestion = 'Send the same again: it may have been created all the same.';
      if (isAway(created.error)) return err({ ...created.error, suggestion });
      await deleteSchedule(home, record);
      return err(created.error);
    }
    if (key !== null) await keepRequest(home, record, key, () => Promise.resolve({ kind: 'create' }));
    const warnings = unused.value.map((name) => `The parameter "${name}" is used nowhere in this template.`);
    return ok({ view: viewOf(record, await this.seen(record), []), warnings, fresh: created.value });
  }

  /** One schedule with its last ticks; what Temporal would have to say is left open while it is away. */
  async read(name: string): Promise<Result<ScheduleView, RailyardError>> {
    const record = await readSchedule(this.runs.home, name);
    if (record.isErr()) return err(record.error);
    const ticks = await listTicks(this.runs.home, record.value, TICKS_SHOWN);
    const [seen, views] = await Promise.all([
      this.seen(record.value),
      Promise.all(ticks.map((tick) => tickView(this.runs, tick))),
    ]);
    return ok(viewOf(record.value, seen, views));
  }

  /** Schedules by name, of one factory or all, after the name that is the cursor. */
  async list({
    limit,
    factory,
    cursor: after,
  }: ScheduleQuery): Promise<{ schedules: ScheduleLine[]; next: string | null }> {
    const all = (await listSchedules(this.runs.home))
      .filter((record) => factory === undefined || record.factory === factory)
      .filter(({ name }) => after === undefined || name > after);
    const page = all.slice(0, limit);
    const schedules = await Promise.all(page.map(async (record) => lineOf(record, await this.seen(record))));
    return { schedules, next: all.length > limit ? (page.at(-1)?.name ?? null) : null };
  }

  /** Take no more ticks, or take them again. What runs goes on. Once done under a key, it is not done under it again. */
  async pause(
    name: string,
    type: 'pause' | 'resume',
    { by, reason }: { by: string; reason?: string | undefined },
    key: string | null = null,
  ): Promise<Result<ScheduleLine, RailyardError>> {
    const found = await this.find(name);
    if (found.isErr()) return err(found.error);
    const { record, schedule } = found.value;
    const { home } = this.runs;
    const request = { kind: type, by, reason: reason ?? null };
    const act = async (): Promise<Result<void, RailyardError>> => {
      const before = key === null ? null : readRequest(home, record, key);
      if (before) return isDeepStrictEqual(before, request) ? ok() : err(keyReused());
      const note = `${type === 'pause' ? 'Paused' : 'Resumed'} by ${by}${reason ? `: ${reason}` : ''}`;
      const done = await (type === 'pause' ? schedule.pause(note) : schedule.resume(note));
      // Kept when it is done, never before: what was lost on the way is done by the same request sent again.
      if (done.isOk() && key !== null) await keepRequest(home, record, key, () => Promise.resolve(request));
      return done;
    };
    const acted = key === null ? await act() : await inTurn(`request ${key}`, act);
    if (acted.isErr()) return err(acted.error);
    return ok(lineOf(record, await this.seen(record)));
  }

  /** Start a run now, whatever else is going. The same key again finds the run of the first time. */
  async runNow(name: string, key: string | null): Promise<Result<RunNow, RailyardError>> {
    const found = await this.find(name);
    if (found.isErr()) return err(found.error);
    const { record, schedule } = found.value;
    const { home } = this.runs;
    const take = async (): Promise<JsonObject> => ({
      kind: 'run',
      at: (await takeMoment(home, record, new Date())).toISOString(),
    });
    const { kind, at } = key === null ? await take() : await keepRequest(home, record, key, take);
    if (kind !== 'run' || typeof at !== 'string') return err(keyReused());
    const time = new Date(at);
    const run = tickRun(record, time);
    // A moment that was taken just now is nobody's.
    const known = key === null ? [] : await listTicks(home, record, Number.POSITIVE_INFINITY);
    const fresh = readRun(home, run).isErr() && !known.some((tick) => tick.at === at);
    if (!fresh) return ok({ run, at: time, fresh });
    return (await schedule.trigger(time)).map(() => ({ run, at: time, fresh }));
  }

  /** Delete a schedule. Its runs go on, and its name is free. */
  async delete(name: string): Promise<Result<void, RailyardError>> {
    const found = await this.find(name);
    if (found.isErr()) return err(found.error);
    const deleted = await found.value.schedule.delete();
    if (deleted.isOk()) await deleteSchedule(this.runs.home, found.value.record);
    return deleted;
  }

  /** A schedule's record, and what stands for it in Temporal. */
  async find(
    name: string,
  ): Promise<Result<{ record: ScheduleRecord; schedule: TemporalSchedule }, RailyardError>> {
    const record = await readSchedule(this.runs.home, name);
    return record.map((value) => ({ record: value, schedule: this.temporal(value) }));
  }

  /** Everything that a start would refuse, tried with the first tick to come. Answers with unused parameters. */
  private async check(
    compilation: Compilation,
    wanted: Omit<ScheduleRequest, 'template'>,
  ): Promise<Result<readonly string[], RailyardError>> {
    const cron = parseCron(wanted.cron);
    if (cron.isErr()) return err(badCron(`It cannot be read: ${cron.error}.`));
    const first = nextTick(cron.value, Date.now());
    if (first === null) return err(badCron('It names a day that never comes.'));
    const at = new Date(first);
    const run = tickRun({ name: wanted.name, generation: 1 }, at);
    const checked = await this.runs.check(compilation, { parameters: tickParameters(wanted, at) }, run);
    if (checked.isErr()) return err(checked.error);
    const { workspace, unused } = checked.value;
    if (isAbsolute(workspace)) return ok(unused);
    const message = `The workspace "${workspace}" is not an absolute path.`;
    return err(problem('INPUT_INVALID', message, { suggestion: 'Pass workspace_path as an absolute path.' }));
  }

  /** Write it down; what is there already under the name must be the same. */
  private async record(
    { compiled, factoryHash }: Compilation,
    wanted: Omit<ScheduleRequest, 'template'>,
    key: string | null,
  ): Promise<Result<ScheduleRecord, RailyardError>> {
    const { home } = this.runs;
    const before = await readSchedule(home, wanted.name);
    const last = await lastGeneration(home, wanted.name);
    const kept = key === null ? null : readRequest(home, { name: wanted.name, generation: last }, key);
    if (kept && kept.kind !== 'create') return err(keyReused());
    if (kept && before.isErr()) return err(deletedSince(wanted.name));
    const fresh: ScheduleRecord = {
      version: 1,
      ...wanted,
      generation: last + 1,
      factory: compiled.factory.id,
      factoryHash,
      createdAt: new Date().toISOString(),
    };
    if (before.isOk()) {
      const { generation, createdAt } = before.value;
      const same = isDeepStrictEqual({ ...fresh, generation, createdAt }, before.value);
      if (same) return ok(before.value);
      return err(kept ? keyReused() : exists(wanted.name));
    }
    await this.shelf.save(factoryHash, compiled);
    return (await saveSchedule(home, fresh)) ? ok(fresh) : err(exists(wanted.name));
  }

  private temporal(record: ScheduleRecord): TemporalSchedule {
    return new TemporalSchedule(this.runs.client, this.runs.home, record);
  }

  private async seen(record: ScheduleRecord): Promise<Seen> {
    return (await this.temporal(record).describe()).unwrapOr(undefined);
  }
}

/** The refusal of an Idempotency-Key that stands for something else. */
export const keyReused = (): RailyardError =>
  problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key has been used for another request.', {
    suggestion: 'Use a key of its own for each request.',
  });

const exists = (name: string): RailyardError =>
  problem('SCHEDULE_EXISTS', `There is a schedule "${name}" already, and it is another one.`);

const deletedSince = (name: string): RailyardError =>
  problem('SCHEDULE_NOT_FOUND', `This request has created the schedule "${name}", which was deleted since.`, {
    suggestion: 'Use another Idempotency-Key to create it anew.',
  });

const badCron = (message: string): RailyardError =>
  problem('INPUT_INVALID', `The cron expression is not valid. ${message}`, {
    suggestion: 'Use five fields: minute, hour, day of month, month, day of week; such as "0 6 * * mon-fri".',
    details: {
      problems: [{ pointer: '/cron', message, fix: 'Use five fields, such as "0 6 * * mon-fri".' }],
    },
  });
