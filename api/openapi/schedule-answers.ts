/** What the routes of schedules answer with. */
import { z } from 'zod';
import { LISTED_STATUS } from '../bodies';
import { OVERLAPS } from '../schedules/bodies';
import { type ScheduleLine } from '../schedules';
import { ErrorAnswer } from './other-answers';

const when = z.string().describe('ISO 8601, UTC');

const line = {
  name: z.string(),
  factory: z.string(),
  cron: z.string(),
  time_zone: z.string(),
  overlap: z.enum(OVERLAPS),
  state: z.enum(['active', 'paused', 'orphaned', 'unknown']),
  next_time: when.nullable(),
  started_by: z.string(),
  created_at: when,
};

/** POST …/pause and …/resume */
export const ScheduleEntry = z.strictObject(line) satisfies z.ZodType<ScheduleLine>;

/** GET /schedule */
export const SchedulePage = z.strictObject({
  schedules: z.array(ScheduleEntry),
  next_cursor: z.string().nullable(),
});

const view = {
  ...line,
  template_hash: z.string(),
  parameters: z.record(z.string(), z.json()),
  catch_up_seconds: z.int(),
  pause_on_failure: z.boolean(),
  note: z.string().nullable(),
  next_times: z.array(when),
  counts: z.strictObject({ taken: z.int(), skipped: z.int(), missed: z.int() }).nullable(),
  ticks: z.array(
    z.strictObject({
      scheduled_at: when,
      taken_at: when,
      run_id: z.string(),
      status: z.enum([...LISTED_STATUS, 'refused']),
      error: ErrorAnswer.nullable(),
    }),
  ),
};

/** GET /schedule/{schedule} */
export const Schedule = z.strictObject(view);

/** POST /schedule */
export const ScheduleCreated = z.strictObject({ ...view, url: z.string(), warnings: z.array(z.string()) });

/** POST …/run */
export const RunAsked = z.strictObject({ run_id: z.string(), scheduled_at: when });

/** GET and POST …/backfill */
export const Backfill = z.strictObject({
  ticks: z.array(
    z.strictObject({
      scheduled_at: when,
      run_id: z.string(),
      exists: z.boolean().describe('It has its run already, and gets no other'),
    }),
  ),
});

/** DELETE /schedule/{schedule} */
export const ScheduleDeleted = z.strictObject({ name: z.string(), deleted: z.literal(true) });
