/** Every way in which a gate ends. */
import { type Template } from '../../src/factory/schema';
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { type Scenarios } from './scenario';

const HALF_A_SECOND = 0.5 / 3600;

/** Two blocks in a row, with a gate after the first that nobody lets run out. */
const gated = (gate = gateAfter('a', { timeout_hours: 1 })): Template =>
  factory([scripted('a'), scripted('b', { needs: ['a'] })], { human_gates: [gate] });

export const GATE_SCENARIOS: Scenarios = {
  'gate-after-approved': {
    play: async (run) => {
      await run.start(gated());
      await run.until('a', 'waiting');
      await run.decide('a');
      await run.reaches('completed');
    },
    shows: [{ TIMER_STARTED: 1, WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, TIMER_CANCELED: 1 }],
  },

  'gate-before-approved': {
    play: async (run) => {
      await run.start(gated(gateBefore('b', { timeout_hours: 1 })));
      await run.until('b', 'waiting');
      await run.decide('b');
      await run.reaches('completed');
    },
    shows: [{ TIMER_STARTED: 1, WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, TIMER_CANCELED: 1 }],
  },

  'gate-rejected-retry': {
    play: async (run) => {
      await run.start(gated());
      await run.until('a', 'waiting');
      await run.decide('a', { decision: 'reject', feedback: 'more hats' });
      await run.until('a', 'waiting', 2);
      await run.decide('a', { attempt: 2 });
      await run.reaches('completed');
    },
    shows: [{ TIMER_CANCELED: 2, WORKFLOW_EXECUTION_UPDATE_COMPLETED: 2, ACTIVITY_TASK_SCHEDULED: 3 }],
  },

  // Taken while the failed run is open for a retry: such a history goes on under the next version of the code.
  'gate-rejected-abort': {
    play: async (run) => {
      await run.start(gated());
      await run.until('a', 'waiting');
      await run.decide('a', { decision: 'reject', action: 'abort' });
      await run.reaches('failed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, TIMER_CANCELED: 1, TIMER_STARTED: 2 }],
  },

  'gate-timeout-approved': {
    play: async (run) => {
      await run.start(gated(gateAfter('a', { timeout_hours: HALF_A_SECOND, auto_approve_on_timeout: true })));
      await run.reaches('completed');
    },
    shows: [{ TIMER_FIRED: 1, ACTIVITY_TASK_SCHEDULED: 2, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'gate-overdue': {
    play: async (run) => {
      await run.start(gated(gateAfter('a', { timeout_hours: HALF_A_SECOND })));
      await run.untilOverdue();
      await run.decide('a');
      await run.reaches('completed');
    },
    shows: [{ TIMER_FIRED: 1, WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'gate-quorum': {
    play: async (run) => {
      await run.start(gated(gateAfter('a', { quorum: 2 })));
      await run.until('a', 'waiting');
      await run.decide('a', {}, 'counted');
      await run.decide('a', {}, 'GATE_VOTE_REPEATED');
      await run.decide('a', { approver: 'bob' });
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 3, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'gate-early': {
    play: async (run) => {
      const slow = scripted('a', { script: [{ until: run.signpost }] });
      await run.start(factory([slow], { human_gates: [gateAfter('a')] }));
      await run.until('a', 'running');
      await run.decide('a', {}, 'kept');
      await run.putUpSignpost();
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'gate-signal': {
    play: async (run) => {
      await run.start(gated());
      await run.until('a', 'waiting');
      await run.decideBySignal('a');
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_SIGNALED: 2, MARKER_RECORDED: 3, ACTIVITY_TASK_SCHEDULED: 2 }],
  },

  // The second execution takes up the open gate, with what is left of its time.
  'gate-continued-as-new': {
    play: async (run) => {
      await run.start(gated(), { limits: { continueAt: 8, drainAt: 100 } });
      await run.hasContinued();
      await run.decide('a');
      await run.reaches('completed');
    },
    shows: [
      { ACTIVITY_TASK_SCHEDULED: 1, WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 1 },
      { TIMER_STARTED: 1, ACTIVITY_TASK_SCHEDULED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 },
    ],
  },
};
