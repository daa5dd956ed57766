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
import type { RailyardError } from '../src/errors';
import type { GateDecision, RunState } from '../src/factory/run-state';
import { refusedByPlan, refusedForGood } from '../src/factory/walk/decide';
import { readable } from '../src/factory/walk/fit-state';
import { forNextRun } from '../src/factory/walk/next-run';
import { refusedTrigger } from '../src/factory/walk/trigger-requests';
import {
  BELL,
  CONTROL,
  DECIDE_GATE,
  FAILED_FOR_NOW,
  GATE_DECISION,
  KEPT_TRIGGER,
  RUN_FAILED,
  STATE,
  SUPERSEDED,
  type CompletionActivities,
  type ControlRequest,
  type FactoryRunInput,
  type Reply,
  type RunEnd,
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
const bellSignal = defineSignal(BELL);

const { verifyDecision, verifyTrigger } = proxyLocalActivities<SignatureActivities>({
  startToCloseTimeout: 10_000,
  retry: { maximumAttempts: 3 },
});
// Without an end: a full disk is made room on, and then the run is over.
const { recordCompletion } = proxyLocalActivities<CompletionActivities>({ startToCloseTimeout: 10_000 });

/**
 * Walk a factory to its end. A failed run stays open for a while, since a person may retry a block or override a
 * threshold; then it ends as failed for Temporal too. An execution that is not the run's driver any more, or whose store
 * cannot be gone on with, ends at once: the run is as it stands in the store.
 */
export async function factoryRun(input: FactoryRunInput): Promise<RunEnd> {
  const outer = CancellationScope.current();
  // A cancel that comes from Temporal itself is a cancel like any other: attempts are told, and report, before the end.
  return CancellationScope.nonCancellable(async () => {
    const walker = new Walker(input);
    answer(input, walker);
    outer.cancelRequested.catch(() => walker.propose({ type: 'cancel', by: 'temporal' }));
    await walker.begin();
    await untilOver(input, walker);
    if (walker.lost) await endAsLost(walker, walker.lost);
    await record(input, walker.state);
    return endAs(walker.state, outer);
  });
}

function answer(input: FactoryRunInput, walker: Walker): void {
  setHandler(stateQuery, () => readable(walker.state));
  setHandler(decideGateUpdate, (decision) => walker.propose({ type: 'gate-decision', decision }), {
    validator: (decision: GateDecision) =>
      refuse(
        walker.hasState
          ? refusedForGood(input.plan, walker.state, decision)
          : refusedByPlan(input.plan, decision),
      ),
  });
  setHandler(controlUpdate, (request) => walker.propose(request), {
    validator: (request: ControlRequest | null) => {
      if (!request || !CONTROLS.includes(request.type))
        throw ApplicationFailure.nonRetryable('Not a control request');
      // A payload that is too large must not even reach the history.
      if (request.type === 'trigger' || request.type === 'event') refuse(refusedTrigger(input.plan, request));
    },
  });
  setHandler(gateDecisionSignal, async (signed) => {
    if (!(await isGenuine(() => verifyDecision(input.run, signed)))) return;
    const judged = await walker.propose({ type: 'gate-decision', decision: signed.decision });
    if (!judged.ok) log.warn('A signalled decision was refused', { error: judged.error });
  });
  setHandler(keptTriggerSignal, async (signed) => {
    if (!(await isGenuine(() => verifyTrigger(input.run, signed)))) return;
    const judged = await walker.propose(signed.request);
    if (!judged.ok) log.warn('A signalled trigger was refused', { error: judged.error });
  });
  setHandler(bellSignal, () => walker.ring());
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
  const lost = (): boolean => walker.lost !== null;
  const final = (): boolean => walker.state.status === 'completed' || walker.state.status === 'cancelled';
  const failed = (): boolean => walker.state.status === 'failed';
  const leftMs = (): number => Date.parse(walker.state.endedAt ?? '') + input.failedOpenMs - Date.now();
  let told = false;
  for (;;) {
    await condition(() => lost() || final() || failed() || walker.mayContinueAsNew);
    if (lost()) return;
    if (failed() && !told) {
      told = true;
      await tellTick();
    }
    if (failed() && !walker.mayContinueAsNew) {
      const left = leftMs();
      const changed =
        left > 0 && (await condition(() => lost() || !failed() || walker.mayContinueAsNew, left));
      if (changed) continue;
    }
    // Whoever asked gets an answer before this execution ends; it may also reopen the run.
    await condition(allHandlersFinished);
    if (lost()) return;
    const overdue = failed() && leftMs() <= 0;
    if (final() || overdue) return;
    if (walker.mayContinueAsNew) await continueAsNew<typeof factoryRun>({ ...input, from: 'store' });
  }
}

/** Write down what a completed run leaves to the next one. Plans in which no block asks for that have nothing to write. */
async function record({ run, plan }: FactoryRunInput, state: RunState): Promise<void> {
  const artifacts = state.status === 'completed' ? forNextRun(plan, state) : null;
  if (artifacts === null) return;
  await recordCompletion({ run, endedAt: state.endedAt ?? state.startedAt, artifacts });
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

function endAs({ status, reason }: RunState, outer: CancellationScope): RunEnd {
  if (status === 'failed') throw ApplicationFailure.nonRetryable(reason ?? 'The run failed', RUN_FAILED);
  // Temporal calls a workflow cancelled only where Temporal was asked to cancel it.
  if (status === 'cancelled' && outer.consideredCancelled) throw new CancelledFailure(reason ?? 'Cancelled');
  return { status, reason };
}

async function endAsLost(walker: Walker, error: RailyardError): Promise<never> {
  await walker.halt();
  await condition(allHandlersFinished);
  const type = error.code === 'SUPERSEDED' ? SUPERSEDED : error.code;
  throw ApplicationFailure.nonRetryable(`${error.message} ${error.suggestion}`, type, error);
}

/** A validator refuses by throwing; the envelope travels in the failure's details. */
function refuse(error: RailyardError | null): void {
  if (error) throw ApplicationFailure.nonRetryable(error.message, error.code, error);
}
