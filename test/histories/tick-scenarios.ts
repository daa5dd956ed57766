/** Ticks of schedules: the run is the child of the workflow that is recorded. */
import { factory, scripted } from '../yard/templates';
import { type Scenarios } from './scenario';

export const TICK_SCENARIOS: Scenarios = {
  'tick-completed': {
    play: (run) => run.tick(factory([scripted('a')])),
    workflow: (run) => run.tickId,
    shows: [{ MARKER_RECORDED: 1, CHILD_WORKFLOW_EXECUTION_COMPLETED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },
  'tick-failed': {
    play: (run) =>
      run.tick(factory([scripted('a', { script: [{ fail: 'x' }], execution: { max_retries: 0 } })])),
    workflow: (run) => run.tickId,
    shows: [{ MARKER_RECORDED: 1, WORKFLOW_EXECUTION_SIGNALED: 1, WORKFLOW_EXECUTION_FAILED: 1 }],
  },
};
