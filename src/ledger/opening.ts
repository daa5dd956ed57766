/** The two plans that are not the answer to an event of the walk: a run starts, and a run is taken over. */
import { type JsonObject } from '../canonical';
import { type Step, type WalkEvent } from '../factory/walk';
import { Composition, type Composer } from './compose';
import { type RunFold, type RunFrame } from './fold';
import { WALKING } from './pinned';

/** How often a plan is made anew because somebody else has written meanwhile. */
export const COMPOSED_TRIES = 20;

/** What the first context of a factory's run says. */
export interface StartContext {
  readonly run: string;
  readonly started_by: string;
  readonly parameters: JsonObject;
  readonly driver: DriverContext;
}

export interface DriverContext {
  readonly epoch: number;
  readonly workflow_id: string;
  readonly by: string;
  readonly restart_deadlines: boolean;
}

/** "Run starts", with everything that opens at once. */
export function startPlan(
  frame: RunFrame,
  fold: RunFold,
  step: Step,
  at: number,
  start: { readonly run: string; readonly startedBy: string; readonly parameters: JsonObject },
  composer: Composer,
): Composition {
  const { ids, plan } = frame;
  const composition = new Composition(frame, fold, step, at, composer);
  const { draft } = composition;
  const { workflow, hash } = composer.factory;
  composition.pins.push(workflow);
  draft.sessionCreated();
  draft.runStarted(ids.factory, workflow.workflowId, hash, plan.factoryHash);
  draft.node(ids.factory, ids.root, 'step', null, hash, WALKING);
  const driver: DriverContext = {
    epoch: 1,
    workflow_id: start.run,
    by: start.startedBy,
    restart_deadlines: false,
  };
  const context: StartContext = {
    run: start.run,
    started_by: start.startedBy,
    parameters: start.parameters,
    driver,
  };
  draft.context(ids.factory, ids.context('start'), 'initial', { ...context, driver: { ...driver } });
  return composition.consequences(null, null);
}

/** A new epoch. Its id is derived from the epoch: of two who take over at once, one wins. */
export function takeOverPlan(
  frame: RunFrame,
  fold: RunFold,
  step: Step,
  at: number,
  event: Extract<WalkEvent, { type: 'taken-over' }>,
  workflowId: string,
  composer: Composer,
): Composition {
  const { ids } = frame;
  const composition = new Composition(frame, fold, step, at, composer);
  const driver: DriverContext = {
    epoch: event.epoch,
    workflow_id: workflowId,
    by: event.by,
    restart_deadlines: event.restartDeadlines,
  };
  const id = ids.context('driver', event.epoch);
  composition.draft.context(ids.factory, id, 'agent_delta', { driver: { ...driver } });
  return composition.write(event);
}
