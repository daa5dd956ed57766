/**
 * A factory run as a pure state machine: an event and a time in, the next state and what to do about it out.
 *
 * The run, in words:
 * - `running`: every block that can start has been started, every gate that can open is open.
 * - `pausing`: nothing new starts; attempts are still running. `paused`: none is. Gates may be decided in both.
 * - `cancelling`: attempts were told to stop and have not all reported. Then `cancelled`, for good.
 * - `completed`: every one-shot block is done. For good.
 * - `failed`: a block has failed, and nothing runs, waits or can start. A retry or an override of a failed block
 *   makes the run `running` again.
 *
 * An event is applied in two parts: what it changes itself, and then `settle`, which promotes blocks and ends the run.
 */
import { ok, type Result } from 'neverthrow';
import type { RailyardError } from '../../errors';
import type { WalkPlan } from '../plan';
import type { RunState } from '../run-state';
import { newBlock } from './attempts';
import { handleBlockCompletion } from './completion';
import { cancel, pause, resume, retryBlock, takeOver } from './control';
import { decide } from './decide';
import { Draft } from './draft';
import type { Answer, Step, WalkEvent } from './events';
import { timeOut } from './gates';
import { settle } from './promote';
import { fire, tick } from './trigger-requests';

/** Begin a run; `now` is epoch milliseconds. */
export function startRun(plan: WalkPlan, { startedBy }: { readonly startedBy: string }, now: number): Step {
  const startedAt = new Date(now).toISOString();
  const draft = new Draft(
    plan,
    {
      status: 'running',
      startedBy,
      startedAt,
      endedAt: null,
      reason: null,
      blocks: Object.fromEntries(plan.blocks.map(({ id }) => [id, newBlock])),
      gates: [],
      early: [],
      decisions: {},
    },
    now,
  );
  settle(draft);
  return draft.step({ kind: 'run', status: draft.state.status, changed: true });
}

/** Apply one event. A refusal changes nothing; neither does an event that came too late. */
export function apply(
  plan: WalkPlan,
  state: RunState,
  event: WalkEvent,
  now: number,
): Result<Step, RailyardError> {
  const draft = new Draft(plan, state, now);
  const settled = (answer: Answer): Step => {
    settle(draft);
    // How the run stands is known only now.
    return draft.step(answer.kind === 'run' ? { ...answer, status: draft.state.status } : answer);
  };
  const asRun = (changed: boolean): Answer => ({ kind: 'run', status: state.status, changed });

  switch (event.type) {
    case 'attempt-finished': {
      const { block, attempt, outcome } = event;
      const current = draft.index.blocks.has(block) ? draft.block(block) : undefined;
      if (current?.status !== 'running' || current.attempt !== attempt) {
        return ok(draft.step({ kind: 'ignored', why: `Attempt ${attempt} of "${block}" is not running` }));
      }
      return ok(
        settled({ kind: 'completed', block, completion: handleBlockCompletion(draft, block, outcome) }),
      );
    }
    case 'gate-timeout': {
      const { block, gate, attempt } = event;
      const result = draft.index.blocks.has(block) ? timeOut(draft, block, gate, attempt) : null;
      return ok(
        result
          ? settled({ kind: 'timed-out', block, result })
          : draft.step({
              kind: 'ignored',
              why: `The gate ${gate} "${block}" is not open for attempt ${attempt}`,
            }),
      );
    }
    case 'gate-decision':
      return decide(draft, event.decision).map(settled);
    case 'trigger':
    case 'event':
      return fire(draft, event).map(settled);
    case 'tick': {
      const answer = draft.index.blocks.has(event.block) ? tick(draft, event.block, event.due) : null;
      const why = `Block "${event.block}" does not wait for ${event.due}`;
      return ok(answer ? settled(answer) : draft.step({ kind: 'ignored', why }));
    }
    case 'pause':
      return pause(draft, event.by).map(asRun).map(settled);
    case 'resume':
      return resume(draft).map(asRun).map(settled);
    case 'cancel':
      return cancel(draft, event.by, event.reason).map(asRun).map(settled);
    case 'retry-block':
      return retryBlock(draft, event.block).map((attempt) =>
        settled({ kind: 'retrying', block: event.block, attempt }),
      );
    case 'taken-over':
      takeOver(draft, event.by, event.restartDeadlines);
      return ok(settled(asRun(true)));
  }
}
