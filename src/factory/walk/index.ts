/** The factory run as a pure state machine. Safe in workflow code: no clock, no randomness, no I/O. */
export type {
  Answer,
  Completion,
  Effect,
  EventRequest,
  Move,
  Step,
  TriggerRequest,
  WalkEvent,
} from './events';
export { apply, startRun } from './machine';
export { carried } from './fit-state';
export { nextTick, parseCron, type Cron } from './cron';
export { refusedByPlan } from './decide';
export { refusedTrigger } from './trigger-requests';
export { evaluateReadiness } from './readiness';
export { summarise, type GroupProgress, type RunSummary } from './summary';
export { transition, TRANSITIONS, type TransitionRow } from './transitions';
export { waitingFor, waitingForEach } from './waiting-for';
