/**
 * One tick of a schedule. It prepares a factory run, starts it under its own id as any other, and lives as long as the run
 * is going: that is what Temporal's overlap policies look at. A failed run stays open for a retry, and says so; it holds
 * up nobody. The run outlives its tick, except where an overlap policy cancels the tick: then the run is cancelled.
 */
import {
  ApplicationFailure,
  CancelledFailure,
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  proxyLocalActivities,
  setHandler,
  startChild,
  workflowInfo,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import {
  FACTORY_RUN,
  FAILED_FOR_NOW,
  RUN_FAILED,
  type FactoryRunInput,
  type PreparedRun,
  type RunEnd,
  type ScheduledRunActivities,
  type ScheduledRunInput,
} from './messages';

type FactoryRun = (input: FactoryRunInput) => Promise<RunEnd>;

const failedForNow = defineSignal(FAILED_FOR_NOW);

/** Local: it must not wait for a slot that a skill has. It is tried until Temporal and the disk let it. */
const { prepareScheduledRun } = proxyLocalActivities<ScheduledRunActivities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 10_000 },
});

/** Answers with the id of the run; fails where the run failed or could not be started, as `pause_on_failure` wants it. */
export async function scheduledRun(input: ScheduledRunInput): Promise<string> {
  const outer = CancellationScope.current();
  return CancellationScope.nonCancellable(async () => {
    let failed = false;
    setHandler(failedForNow, () => {
      failed = true;
    });
    const prepared = await prepareScheduledRun(input, workflowInfo().workflowId);
    if (prepared.kind === 'refused') {
      const { message, code } = prepared.error;
      throw ApplicationFailure.nonRetryable(message, code, prepared.error);
    }
    const child = prepared.kind === 'prepared' ? await startOnce(prepared) : null;
    if (!child) return prepared.run;
    outer.cancelRequested.catch(() => cancel(prepared.run));
    const ending = await Promise.race([
      endingOf(child),
      condition(() => failed).then(() => 'failed' as const),
    ]);
    if (outer.consideredCancelled) throw new CancelledFailure(`The run "${prepared.run}" was cancelled`);
    if (ending === 'failed') {
      throw ApplicationFailure.nonRetryable(`The run "${prepared.run}" failed`, RUN_FAILED);
    }
    return prepared.run;
  });
}

/** Null where somebody has started the run under its id meanwhile. */
async function startOnce({
  run,
  input,
  summary,
}: Extract<PreparedRun, { kind: 'prepared' }>): Promise<ChildWorkflowHandle<FactoryRun> | null> {
  try {
    return await startChild<FactoryRun>(FACTORY_RUN, {
      workflowId: run,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summary,
    });
  } catch (error) {
    // By its name: the class is not among what workflow code may import.
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return null;
    throw error;
  }
}

async function endingOf(child: ChildWorkflowHandle<FactoryRun>): Promise<RunEnd['status']> {
  try {
    return (await child.result()).status;
  } catch (error) {
    return isCancellation(error) ? 'cancelled' : 'failed';
  }
}

async function cancel(run: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(run).cancel();
  } catch (error) {
    log.info('The run was over before it could be cancelled', { run, error });
  }
}
