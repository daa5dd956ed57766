/** Every way in which a run goes, gates apart. */
import { factory, gateAfter, gateBefore, scripted } from '../yard/templates';
import { type Scenarios } from './scenario';

const THRESHOLD = { metric: 'score', min: 85 };
const chain = [scripted('a'), scripted('b', { needs: ['a'] })];
const failsOnce = scripted('a', { script: [{ fail: 'no luck' }, {}], execution: { max_retries: 0 } });
const hangs = scripted('a', { script: [{ hang: true }] });

export const RUN_SCENARIOS: Scenarios = {
  plain: {
    play: async (run) => {
      await run.start(factory(chain));
      await run.reaches('completed');
    },
    shows: [{ ACTIVITY_TASK_SCHEDULED: 2, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  group: {
    play: async (run) => {
      const blocks = ['one', 'two', 'three'];
      const all = [...blocks.map((id) => scripted(id)), scripted('after', { needs: blocks })];
      await run.start(factory(all, { parallel_groups: { trio: { blocks, max_concurrent: 2 } } }));
      await run.reaches('completed');
    },
    shows: [{ ACTIVITY_TASK_SCHEDULED: 4, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'error-retried': {
    play: async (run) => {
      await run.start(factory([scripted('a', { script: [{ fail: 'first' }, {}] })]));
      await run.reaches('completed');
    },
    shows: [{ ACTIVITY_TASK_SCHEDULED: 2, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'threshold-retried': {
    play: async (run) => {
      const script = [{ metrics: { score: 80 } }, { metrics: { score: 90 } }];
      await run.start(factory([scripted('a', { script, execution: { threshold: THRESHOLD } })]));
      await run.reaches('completed');
    },
    shows: [{ ACTIVITY_TASK_SCHEDULED: 2, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'threshold-overridden': {
    play: async (run) => {
      const execution = { threshold: THRESHOLD, max_retries: 0 };
      await run.start(factory([scripted('a', { script: [{ metrics: { score: 83 } }], execution })]));
      await run.reaches('failed');
      await run.decide('a', { override: true, justification: 'alpha' });
      await run.reaches('completed');
    },
    shows: [{ TIMER_CANCELED: 1, WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  paused: {
    play: async (run) => {
      await run.start(factory(chain, { human_gates: [gateAfter('a')] }));
      await run.until('a', 'waiting');
      await run.control({ type: 'pause', by: 'rob' });
      await run.decide('a');
      await run.reaches('paused');
      await run.control({ type: 'resume', by: 'rob' });
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 3, ACTIVITY_TASK_SCHEDULED: 2 }],
  },

  cancelled: {
    play: async (run) => {
      const gate = gateBefore('b', { timeout_hours: 1 });
      await run.start(factory([hangs, scripted('b')], { human_gates: [gate] }));
      await run.until('b', 'waiting');
      await run.control({ type: 'cancel', by: 'carl', reason: 'wrong expert' });
      await run.reaches('cancelled');
    },
    shows: [{ ACTIVITY_TASK_CANCEL_REQUESTED: 1, TIMER_CANCELED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'cancelled-by-temporal': {
    play: async (run) => {
      await run.start(factory([hangs]));
      await run.until('a', 'running');
      await run.cancelByTemporal();
      await run.closes();
    },
    shows: [{ WORKFLOW_EXECUTION_CANCEL_REQUESTED: 1, WORKFLOW_EXECUTION_CANCELED: 1 }],
  },

  'block-retried': {
    play: async (run) => {
      await run.start(factory([failsOnce]));
      await run.reaches('failed');
      await run.control({ type: 'retry-block', block: 'a', by: 'rob' });
      await run.reaches('completed');
    },
    shows: [{ ACTIVITY_TASK_SCHEDULED: 2, TIMER_CANCELED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  'failed-closed': {
    play: async (run) => {
      await run.start(factory([failsOnce]), { failedOpenMs: 500 });
      await run.closes();
    },
    shows: [{ TIMER_FIRED: 1, WORKFLOW_EXECUTION_FAILED: 1 }],
  },

  // Read when the bell rings; and the time of the second attempt runs out.
  agent: {
    play: async (run) => {
      const forged = { ...scripted('a', { timeout: 1_000 }), runtime: 'forge' as const };
      await run.start(factory([{ ...forged, execution: { max_retries: 1 } }]));
      await run.until('a', 'running');
      await run.failAsAgent('a');
      await run.reaches('failed');
    },
    shows: [{ WORKFLOW_EXECUTION_SIGNALED: 1, TIMER_FIRED: 1, MARKER_RECORDED: 2 }],
  },

  superseded: {
    play: async (run) => {
      await run.start(factory([hangs, scripted('b')]));
      await run.until('b', 'done');
      await run.takeOver();
      await run.closes();
    },
    shows: [{ ACTIVITY_TASK_CANCEL_REQUESTED: 1, WORKFLOW_EXECUTION_FAILED: 1 }],
  },

  // The first execution does not start the second block any more; the second execution does.
  'continued-as-new': {
    play: async (run) => {
      await run.start(factory(chain), { limits: { continueAt: 8, drainAt: 8 } });
      await run.reaches('completed');
    },
    shows: [
      { ACTIVITY_TASK_SCHEDULED: 1, WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 1 },
      { ACTIVITY_TASK_SCHEDULED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 },
    ],
  },
};
