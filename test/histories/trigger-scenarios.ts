/** Every way in which a block is set off. */
import { type Block } from '../../src/factory/schema';
import { factory, scripted } from '../yard/templates';
import { type PlayedRun } from './played-run';
import { type Scenarios } from './scenario';

const MANUAL: Block['trigger'] = { type: 'manual' };
const WEBHOOK: Block['trigger'] = { type: 'webhook', webhook: '/a' };

/** A block that holds the run open until the signpost is put up. */
const held = (run: PlayedRun): Block => scripted('main', { script: [{ until: run.signpost }] });

const byHand = (block: string, id: string) =>
  ({ type: 'trigger', block, via: 'manual', id, by: 'tom', payload: { id } }) as const;

export const TRIGGER_SCENARIOS: Scenarios = {
  'trigger-manual': {
    play: async (run) => {
      await run.start(factory([{ ...scripted('a'), trigger: MANUAL }, scripted('b', { needs: ['a'] })]));
      await run.until('a', 'pending');
      await run.fire(byHand('a', 'one'));
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, ACTIVITY_TASK_SCHEDULED: 2 }],
  },

  // The first event is kept for a block that cannot start yet, the second passes by.
  'trigger-event': {
    play: async (run) => {
      const waits = scripted('a', { needs: ['main'] });
      const trigger: Block['trigger'] = { type: 'event', event: 'saved(status=final)' };
      await run.start(factory([held(run), { ...waits, trigger }]));
      const event = { type: 'event', name: 'saved', by: 'eve' } as const;
      await run.fire({ ...event, id: 'one', payload: { status: 'final' } });
      await run.fire({ ...event, id: 'two', payload: { status: 'draft' } });
      await run.putUpSignpost();
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 2, ACTIVITY_TASK_SCHEDULED: 2 }],
  },

  'trigger-webhook': {
    play: async (run) => {
      await run.start(factory([{ ...scripted('a'), trigger: WEBHOOK }]));
      await run.fire({ ...byHand('a', 'webhook-1'), via: 'webhook', by: 'webhook /a' });
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 1, ACTIVITY_TASK_SCHEDULED: 1 }],
  },

  'trigger-signal': {
    play: async (run) => {
      await run.start(factory([{ ...scripted('a'), trigger: WEBHOOK }]));
      await run.fireBySignal({ ...byHand('a', 'webhook-1'), via: 'webhook', by: 'webhook /a' });
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_SIGNALED: 2, MARKER_RECORDED: 3, ACTIVITY_TASK_SCHEDULED: 1 }],
  },

  'cron-daemon': {
    play: async (run) => {
      const trigger: Block['trigger'] = { type: 'cron', cron: '* * * * *' };
      await run.start(factory([held(run), { ...scripted('d'), trigger, lifecycle: { mode: 'daemon' } }]));
      await run.ticks('d');
      await run.putUpSignpost();
      await run.reaches('completed');
    },
    shows: [{ TIMER_FIRED: 1, ACTIVITY_TASK_SCHEDULED: 2, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },

  // The second trigger comes while the first is being worked on, or after it; the third begins anew.
  'on-demand': {
    play: async (run) => {
      await run.start(
        factory([held(run), { ...scripted('extra'), trigger: MANUAL, lifecycle: { mode: 'on-demand' } }]),
      );
      await run.fire(byHand('extra', 'one'));
      await run.fire(byHand('extra', 'two'));
      await run.until('extra', 'done', 2);
      await run.fire(byHand('extra', 'three'));
      await run.until('extra', 'done', 3);
      await run.putUpSignpost();
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 3, ACTIVITY_TASK_SCHEDULED: 4 }],
  },

  'daemon-follows': {
    play: async (run) => {
      await run.start(
        factory([
          held(run),
          { ...scripted('src'), trigger: MANUAL, lifecycle: { mode: 'on-demand' } },
          { ...scripted('d', { needs: ['src'] }), lifecycle: { mode: 'daemon' } },
        ]),
      );
      await run.fire(byHand('src', 'one'));
      await run.until('d', 'done', 1);
      await run.fire(byHand('src', 'two'));
      await run.until('d', 'done', 2);
      await run.putUpSignpost();
      await run.reaches('completed');
    },
    shows: [{ WORKFLOW_EXECUTION_UPDATE_COMPLETED: 2, ACTIVITY_TASK_SCHEDULED: 5 }],
  },

  'feedback-loop': {
    play: async (run) => {
      await run.start(factory([{ ...scripted('a'), lens: { feedback_loop: true } }]));
      await run.reaches('completed');
    },
    shows: [{ ACTIVITY_TASK_SCHEDULED: 1, MARKER_RECORDED: 1, WORKFLOW_EXECUTION_COMPLETED: 1 }],
  },
};
