/** What the routes of schedules accept. */
import { z } from 'zod';
import { SCHEDULE_NAME } from '../../src/home';
import { StartBody } from '../bodies';
import { Cursor } from '../cursor';

const YEAR_SECONDS = 366 * 86_400;
/** A restart or a short outage is made up for; what a whole night has missed, a person decides on. */
const CATCH_UP_SECONDS = 3_600;

const person = z.string().trim().min(1).max(200);
const by = person.default('local');

/** What happens when a tick comes while the run of an earlier one is going. */
export const OVERLAPS = [
  ...(['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'terminate_other', 'allow_all'] as const),
] as const;

const { template, parameters } = StartBody.shape;

/** POST /schedule */
export const ScheduleBody = z.strictObject({
  name: z
    .string()
    .regex(SCHEDULE_NAME, {
      error: 'A name begins with a small letter and has small letters, digits and "-", at most 60 of them',
    })
    .describe('The ids of its runs begin with it'),
  template,
  parameters: parameters.describe(
    '"{{scheduled_date}}" and "{{scheduled_time}}" in a text stand for the time of each tick',
  ),
  cron: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Five fields, or @hourly, @daily, @weekly, @monthly, @yearly'),
  time_zone: z.string().trim().min(1).max(100).default('UTC').describe('A name of the IANA database'),
  overlap: z.enum(OVERLAPS).default('skip'),
  catch_up_seconds: z
    .int()
    .min(10)
    .max(YEAR_SECONDS)
    .default(CATCH_UP_SECONDS)
    .describe('How late a tick may be taken that came while Temporal was away'),
  pause_on_failure: z.boolean().default(false),
  started_by: person.optional(),
});

/** GET /schedule */
export const SchedulesQuery = z.strictObject({
  factory: z.string().trim().min(1).max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor.optional(),
});

/** POST …/pause, …/resume */
export const PauseBody = z.strictObject({ by, reason: z.string().max(2_000).optional() });

/** POST …/run */
export const RunNowBody = z.strictObject({ by });

const isTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const moment = z
  .string()
  .max(40)
  .refine((text) => isTime.safeParse(text).success, {
    error: 'A date (2026-11-01) or a moment with its offset (2026-11-01T06:00:00Z)',
  })
  .meta({
    description:
      "A date in the schedule's time zone, or a moment with its offset; both ends are in the range",
    // What the check above says, for those who read the document.
    anyOf: [{ format: 'date' }, { format: 'date-time' }],
  });

/** GET …/backfill */
export const PreviewQuery = z.strictObject({ from: moment, to: moment });

/** POST …/backfill */
export const BackfillBody = z.strictObject({
  from: moment,
  to: moment,
  overlap: z
    .enum(['buffer_all', 'allow_all'])
    .default('buffer_all')
    .describe('One run after the other, or all at once'),
  by,
});
