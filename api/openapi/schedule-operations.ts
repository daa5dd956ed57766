/** The routes of schedules. */
import { type ErrorCode } from '../../src/errors';
import * as bodies from '../schedules/bodies';
import { type Operation } from './operations';

const ALL = '/api/a360/schedule';
const ONE = `${ALL}/{schedule}`;
const tag = 'Schedules';
const KEY = ['Idempotency-Key'] as const;
const CHANGE: readonly ErrorCode[] = ['SCHEDULE_NOT_FOUND', 'SCHEDULE_ORPHANED', 'TEMPORAL_AWAY'];

export const SCHEDULE_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'post', path: ALL, tag, summary: 'Create a schedule', body: bodies.ScheduleBody },
    headers: KEY,
    answers: { 200: { schema: 'ScheduleCreated' }, 201: { schema: 'ScheduleCreated' } },
    errors: [
      ...(['TEMPLATE_INVALID', 'TEMPLATE_NOT_JSON', 'PARAMETERS_MISSING', 'SKILL_NOT_FOUND'] as const),
      ...(['PATH_OUTSIDE_WORKSPACE', 'SCHEDULE_EXISTS', 'SCHEDULE_NOT_FOUND', 'TEMPORAL_AWAY'] as const),
      'IDEMPOTENCY_KEY_REUSED',
    ],
  },
  {
    ...{ method: 'get', path: ALL, tag, summary: 'List schedules, by name', query: bodies.SchedulesQuery },
    answers: { 200: { schema: 'SchedulePage' } },
    errors: [],
  },
  {
    ...{ method: 'get', path: ONE, tag, summary: 'Read a schedule, with its last ticks' },
    answers: { 200: { schema: 'Schedule' } },
    errors: ['SCHEDULE_NOT_FOUND'],
  },
  {
    ...{ method: 'delete', path: ONE, tag, summary: 'Delete a schedule; its runs go on' },
    answers: { 200: { schema: 'ScheduleDeleted' } },
    errors: ['SCHEDULE_NOT_FOUND', 'TEMPORAL_AWAY'],
  },
  {
    ...{ method: 'post', path: `${ONE}/pause`, tag, summary: 'Take no more ticks', body: bodies.PauseBody },
    headers: KEY,
    answers: { 200: { schema: 'ScheduleEntry' } },
    errors: [...CHANGE, 'IDEMPOTENCY_KEY_REUSED'],
  },
  {
    ...{ method: 'post', path: `${ONE}/resume`, tag, summary: 'Take them again', body: bodies.PauseBody },
    headers: KEY,
    answers: { 200: { schema: 'ScheduleEntry' } },
    errors: [...CHANGE, 'IDEMPOTENCY_KEY_REUSED'],
  },
  {
    ...{ method: 'post', path: `${ONE}/run`, tag, summary: 'Start a run now', body: bodies.RunNowBody },
    headers: KEY,
    answers: { 200: { schema: 'RunAsked' }, 202: { schema: 'RunAsked' } },
    errors: [...CHANGE, 'IDEMPOTENCY_KEY_REUSED'],
  },
  {
    ...{ method: 'get', path: `${ONE}/backfill`, tag, query: bodies.PreviewQuery },
    summary: 'What a backfill would run',
    answers: { 200: { schema: 'Backfill' } },
    errors: CHANGE,
  },
  {
    ...{ method: 'post', path: `${ONE}/backfill`, tag, body: bodies.BackfillBody, headers: KEY },
    summary: 'Run what was due in a time that is past',
    answers: { 202: { schema: 'Backfill' } },
    errors: [...CHANGE, 'IDEMPOTENCY_KEY_REUSED'],
  },
];
