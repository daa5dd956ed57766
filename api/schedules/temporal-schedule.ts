/** One schedule in Temporal: every call bounded in time, with refusals as ours. */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import { encodeScheduleOverlapPolicy } from '@temporalio/client/lib/schedule-types';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { parseCron } from '../../src/factory/walk';
import { type Home, type ScheduleRecord } from '../../src/home';
import { inTurn } from '../../src/sandbox';
import { SCHEDULED_RUN, type ScheduledRunInput } from '../../workflows/messages';
import { callTemporal } from '../temporal-calls';
import { calendarsOf } from './calendars';
import { temporalId } from './tick-ids';
import { unknown } from './time-zone';

/** What a schedule does when a tick comes while the run of an earlier one is going. */
export type Overlap = ScheduleRecord['overlap'];

const POLICY = {
  skip: 'SKIP',
  buffer_one: 'BUFFER_ONE',
  buffer_all: 'BUFFER_ALL',
  cancel_other: 'CANCEL_OTHER',
  terminate_other: 'TERMINATE_OTHER',
  allow_all: 'ALLOW_ALL',
} as const satisfies Record<Overlap, ScheduleOverlapPolicy>;

/** Temporal lists at most so many times at once; a shorter list is a whole one. */
const LISTED_AT_ONCE = 1_000;
const MAX_PAGES = 5;

/**
 * A tick, and the moment from which Temporal came to it: the tick before. Around a clock that goes back, another moment
 * may lead to another tick.
 */
export interface ListedTick {
  readonly at: Date;
  readonly after: Date;
}

/** The ticks after a moment, until the last one. */
export interface TickRange {
  readonly after: Date;
  readonly last: Date;
}

export class TemporalSchedule {
  private readonly id: string;

  constructor(
    private readonly client: Client,
    home: Home,
    private readonly record: ScheduleRecord,
  ) {
    this.id = temporalId(home, record);
  }

  /** Create it; false where it is there already. */
  async create(taskQueue: string): Promise<Result<boolean, RailyardError>> {
    const { name, generation, cron, timeZone, overlap, catchUpSeconds, pauseOnFailure } = this.record;
    const parsed = parseCron(cron);
    if (parsed.isErr()) throw new Error(`Bug: a schedule was recorded with a bad cron: ${parsed.error}`);
    const input: ScheduledRunInput = { schedule: name, generation };
    const created = this.call(async () => {
      try {
        await this.client.schedule.create({
          scheduleId: this.id,
          spec: { calendars: calendarsOf(parsed.value), timezone: timeZone },
          policies: { overlap: POLICY[overlap], catchupWindow: catchUpSeconds * 1000, pauseOnFailure },
          action: {
            type: 'startWorkflow',
            workflowType: SCHEDULED_RUN,
            workflowId: this.id,
            taskQueue,
            args: [input],
            staticSummary: `A tick of the schedule ${name}`,
          },
        });
        return ok(true);
      } catch (error) {
        if (error instanceof ScheduleAlreadyRunning) return ok(false);
        // So the SDK says that the server takes an argument for invalid; of ours, it alone knows about time zones.
        if (error instanceof TypeError && error.message.includes('time zone')) return err(unknown(timeZone));
        throw error;
      }
    });
    return (await created).andThen((result) => result);
  }

  /** What Temporal knows of it; null: nothing. */
  async describe(): Promise<Result<ScheduleDescription | null, RailyardError>> {
    return this.call(() => this.handle.describe().catch(nullIfMissing));
  }

  pause(note: string): Promise<Result<void, RailyardError>> {
    return this.patch(() => this.handle.pause(note));
  }

  resume(note: string): Promise<Result<void, RailyardError>> {
    return this.patch(() => this.handle.unpause(note));
  }

  /** Tick now, whatever else is going, for a time of our choice; a second tick for one time is none. */
  trigger(at: Date): Promise<Result<unknown, RailyardError>> {
    const { namespace } = this.client.options;
    return this.patch(() =>
      this.client.workflowService.patchSchedule({
        ...{ namespace, scheduleId: this.id, identity: this.client.options.identity },
        requestId: `${this.id} ${at.toISOString()}`,
        patch: {
          triggerImmediately: {
            overlapPolicy: encodeScheduleOverlapPolicy('ALLOW_ALL') ?? null,
            scheduledTime: msToTs(at.getTime()),
          },
        },
      }),
    );
  }

  /** Take the ticks of some ranges as if their times were now. */
  backfill(ranges: readonly TickRange[], overlap: Overlap): Promise<Result<void, RailyardError>> {
    const all = ranges.map(({ after, last }) => ({
      start: new Date(after.getTime() + 1),
      end: last,
      overlap: POLICY[overlap],
    }));
    return this.patch(() => this.handle.backfill(all));
  }

  /** Delete it; nothing to do where it is not there. */
  async delete(): Promise<Result<void, RailyardError>> {
    return (await this.call(() => this.handle.delete().catch(nullIfMissing))).map(() => undefined);
  }

  /** Its ticks from one moment to another, both included; null where there are too many to list. */
  async ticks(from: Date, to: Date): Promise<Result<readonly ListedTick[] | null, RailyardError>> {
    const ticks: ListedTick[] = [];
    // Temporal lists what comes after the start.
    let after = new Date(from.getTime() - 1);
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const listed = await this.list(after, to);
      if (listed.isErr()) return err(listed.error);
      for (const at of listed.value) {
        ticks.push({ at, after });
        after = at;
      }
      if (listed.value.length < LISTED_AT_ONCE) return ok(ticks);
    }
    return ok(null);
  }

  private async list(after: Date, to: Date): Promise<Result<Date[], RailyardError>> {
    const { namespace } = this.client.options;
    const asked = { namespace, scheduleId: this.id, ...rangeOf(after, to) };
    const listed = this.change(() => this.client.workflowService.listScheduleMatchingTimes(asked));
    return (await listed).map(({ startTime }) => startTime.map((time) => new Date(tsToMs(time))));
  }

  /**
   * Tell it something. Of what reaches a schedule while it is busy, Temporal keeps only the last: so one after the other,
   * each with a question that is answered when the schedule is no longer busy with it.
   */
  private patch<T>(call: () => Promise<T>): Promise<Result<T, RailyardError>> {
    return inTurn(`schedule ${this.id}`, async () => {
      const done = await this.change(call);
      if (done.isOk()) await this.describe();
      return done;
    });
  }

  /** A call about a schedule that has to be there. */
  private async change<T>(call: () => Promise<T>): Promise<Result<T, RailyardError>> {
    const made = await this.call(() => call().then((value) => ({ value }), nullIfMissing));
    // The calls that are not the SDK's own say that they did not find it in the words of a run.
    if (made.isErr()) return err(made.error.code === 'RUN_ENDED' ? this.orphaned() : made.error);
    return made.value ? ok(made.value.value) : err(this.orphaned());
  }

  private call<T>(call: () => Promise<T>): Promise<Result<T, RailyardError>> {
    return callTemporal(this.client, this.record.name, call);
  }

  private orphaned(): RailyardError {
    return problem('SCHEDULE_ORPHANED', `Temporal does not have the schedule "${this.record.name}".`);
  }

  private get handle() {
    return this.client.schedule.getHandle(this.id);
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof ScheduleNotFoundError) return null;
  throw error;
}

const rangeOf = (from: Date, to: Date) => ({
  startTime: msToTs(from.getTime()),
  endTime: msToTs(to.getTime()),
});
