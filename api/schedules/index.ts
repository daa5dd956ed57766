/** Runs on a clock. */
export { scheduleRoutes } from './routes';
export { scheduledRunActivities } from './scheduled-runs';
export { type ScheduleLine, type ScheduleView, type TickView } from './schedule-view';
export { Schedules } from './schedules';
