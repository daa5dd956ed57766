/** One factory run: the walk over the block DAG, kept alive by Temporal. */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancelledFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  log,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Result } from 'neverthrow';
import type { RailyardError } from '../src/errors';
import type { GateDecision, RunState } from '../src/factory/run-state';
import type { Answer } from '../src/factory/walk/events';
import { refusedForGood } from '../src/factory/walk/decide';
import { readable } from '../src/factory/walk/fit-state';
import { forNextRun } from '../src/factory/walk/next-run';
import { refusedTrigger } from '../src/factory/walk/trigger-requests';
import {
  CONTROL,
  DECIDE_GATE,
  FAILED_FOR_NOW,
  GATE_DECISION,
  KEPT_TRIGGER,
  RUN_FAILED,
  STATE,
  type CompletionActivities,
  type ControlRequest,
  type FactoryRunInput,
  type Reply,
  type SignatureActivities,
  type SignedDecision,
  type SignedTrigger,
} from './messages';
import { Walker } from './walker';

const stateQuery = defineQuery<RunState>(STATE);
const decideGateUpdate = defineUpdate<Reply, [GateDecision]>(DECIDE_GATE);
const controlUpdate = defineUpdate<Reply, [ControlRequest]>(CONTROL);
const gateDecisionSignal = defineSignal<[SignedDecision]>(GATE_DECISION);
const keptTriggerSignal = defineSignal<[SignedTrigger]>(KEPT_TRIGGER);

const { verifyDecision, verifyTrigger } = proxyLocalActivities<SignatureActivities>({
  startToCloseTimeout: 10_000,
  retry: { maximumAttempts: 3 },
});
// Without an end: a full disk is made room on, and then the run is over.
const { recordCompletion } = proxyLocalActivities<CompletionActivities>({ startToCloseTimeout: 10_000 });

/** Is what a completed run leaves to the next one written down? Until then it is not over for anybody. */
interface Ending {
  recorded: boolean;
}

/**
 * Walk a factory to its end. A failed run stays open for a while, since a person may retry a block or override a
 * threshold; then it ends as failed for Temporal too. However it ends, its last state is in what Temporal keeps of the
 * end: it can be read without a worker, and without replaying the run.
 */
export async function factoryRun(input: FactoryRunInput): Promise<RunState> {
  const outer = CancellationScope.current();
  // A cancel that comes from Temporal itself is a cancel like any other: attempts are told, and report, before the end.
  return CancellationScope.nonCancellable(async () => {
    const walker = new Walker(input);
    const ending: Ending = { recorded: false };
    answer(input, walker, ending);
    outer.cancelRequested.catch(() => walker.feed({ type: 'cancel', by: 'temporal' }));
    await untilOver(input, walker);
    await record(input, walker.state, ending);
    return endAs(walker.state, outer);
  });
}

function answer(input: FactoryRunInput, walker: Walker, ending: Ending): void {
  setHandler(stateQuery, () => {
    const { state } = walker;
    const open = state.status === 'completed' && !ending.recorded && forNextRun(input.plan, state) !== null;
    return readable(open ? { ...state, status: 'running', endedAt: null } : state);
  });
  setHandler(decideGateUpdate, (decision) => toReply(walker.feed({ type: 'gate-decision', decision })), {
    validator: (decision: GateDecision) => refuse(refusedForGood(input.plan, walker.state, decision)),
  });
  setHandler(controlUpdate, (request) => toReply(walker.feed(request)), {
    validator: (request: ControlRequest | null) => {
      if (!request || !CONTROLS.includes(request.type))
        throw ApplicationFailure.nonRetryable('Not a control request');
      // A payload that is too large must not even reach the history.
      if (request.type === 'trigger' || request.type === 'event') refuse(refusedTrigger(input.plan, request));
    },
  });
  setHandler(gateDecisionSignal, async (signed) => {
    if (!(await isGenuine(() => verifyDecision(input.run, signed)))) return;
    const result = walker.feed({ type: 'gate-decision', decision: signed.decision });
    if (result.isErr()) log.warn('A signalled decision was refused', { error: result.error });
  });
  setHandler(keptTriggerSignal, async (signed) => {
    if (!(await isGenuine(() => verifyTrigger(input.run, signed)))) return;
    const result = walker.feed(signed.request);
    if (result.isErr()) log.warn('A signalled trigger was refused', { error: result.error });
  });
}

const CONTROLS: readonly unknown[] = [
  'pause',
  'resume',
  'cancel',
  'retry-block',
  'trigger',
  'event',
] satisfies ControlRequest['type'][];

/** Anybody who reaches Temporal can send a signal, of any shape; only our API can sign one. */
async function isGenuine(verify: () => Promise<boolean>): Promise<boolean> {
  try {
    if (await verify()) return true;
    log.warn('A signal without our signature was ignored');
  } catch (error) {
    log.warn('The signature of a signal could not be checked; the signal was ignored', { error });
  }
  return false;
}

/** Waits for the end, going on in a fresh execution when the history has grown long. */
async function untilOver(input: FactoryRunInput, walker: Walker): Promise<void> {
  const final = (): boolean => walker.state.status === 'completed' || walker.state.status === 'cancelled';
  const failed = (): boolean => walker.state.status === 'failed';
  let told = false;
  for (;;) {
    await condition(() => final() || failed() || walker.mayContinueAsNew);
    if (failed() && !told) {
      told = true;
      await tellTick();
    }
    if (failed() && !walker.mayContinueAsNew) {
      const left = Date.parse(walker.state.endedAt ?? '') + input.failedOpenMs - Date.now();
      const changed = left > 0 && (await condition(() => !failed() || walker.mayContinueAsNew, left));
      if (changed) continue;
    }
    // Whoever asked gets an answer before this execution ends; it may also reopen the run.
    await condition(allHandlersFinished);
    const overdue = failed() && Date.parse(walker.state.endedAt ?? '') + input.failedOpenMs <= Date.now();
    if (final() || overdue) return;
    if (walker.mayContinueAsNew) await continueAsNew<typeof factoryRun>({ ...input, state: walker.state });
  }
}

/** Write down what a completed run leaves to the next one. Plans in which no block asks for that have nothing to write. */
async function record({ run, plan }: FactoryRunInput, state: RunState, ending: Ending): Promise<void> {
  const artifacts = state.status === 'completed' ? forNextRun(plan, state) : null;
  if (artifacts === null) return;
  await recordCompletion({ run, artifacts });
  ending.recorded = true;
  // Whoever asked meanwhile gets an answer too.
  await condition(allHandlersFinished);
}

/** A run that a schedule started does not hold up the next tick while it waits for a retry. */
async function tellTick(): Promise<void> {
  const { parent } = workflowInfo();
  if (!parent) return;
  try {
    await getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(FAILED_FOR_NOW);
  } catch (error) {
    log.info('The tick that started this run is over', { error });
  }
}

function endAs(state: RunState, outer: CancellationScope): RunState {
  const { status, reason } = state;
  const kept = readable(state);
  if (status === 'failed') {
    throw ApplicationFailure.nonRetryable(reason ?? 'The run failed', RUN_FAILED, kept);
  }
  // Temporal calls a workflow cancelled only where Temporal was asked to cancel it.
  if (status === 'cancelled' && outer.consideredCancelled)
    throw new CancelledFailure(reason ?? 'Cancelled', [kept]);
  return kept;
}

const toReply = (result: Result<Answer, RailyardError>): Reply =>
  result.isOk() ? { ok: true, answer: result.value } : { ok: false, error: result.error };

/** A validator refuses by throwing; the envelope travels in the failure's details. */
function refuse(error: RailyardError | null): void {
  if (error) throw ApplicationFailure.nonRetryable(error.message, error.code, error);
}
