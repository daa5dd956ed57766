/** The context of each run: the latest `context_set` (locks, section 18.2). */
import { type ContextSet, type EventIndex, type RunId } from '../model';
import { type Projection } from '../ports';

/** A run's context, whole as it was set. */
export interface RunContext extends ContextSet {
  readonly setAt: EventIndex;
}

export interface RunContexts {
  readonly byRun: Map<RunId, RunContext>;
}

export const runContexts: Projection<RunContexts> = {
  name: 'run_contexts',
  initial: () => ({ byRun: new Map() }),
  apply: ({ byRun }, event) => {
    if (event.kind === 'context_set')
      byRun.set(event.scope.runId, { ...event.data, setAt: event.eventIndex });
  },
};
