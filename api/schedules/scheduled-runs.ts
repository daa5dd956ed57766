/** What a tick of a schedule does before its run starts: the checks, the record and the claim of any start. */
import { ApplicationFailure } from '@temporalio/common';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { cutPlan, type Compilation } from '../../src/factory/compile';
import {
  FactoryShelf,
  listTicks,
  readRun,
  readSchedule,
  saveTick,
  type ScheduleRecord,
} from '../../src/home';
import { type PreparedRun, type ScheduledRunActivities } from '../../workflows/messages';
import { summaryOf, type FactoryRuns } from '../factory-runs';
import { callTemporal, isAway } from '../temporal-calls';
import { tickRun, tickTime, tickWorkflow } from './tick-ids';
import { tickParameters } from './tick-parameters';

/** How far back a tick looks for runs that were to make room for it. */
const LOOK_BACK = 20;

/** The activity of ticks. Whatever a later try may mend is thrown, so that it is tried again. */
export function scheduledRunActivities(runs: FactoryRuns): ScheduledRunActivities {
  const ticks = new Ticks(runs);
  return {
    prepareScheduledRun: async ({ schedule, generation }, workflow) => {
      const record = await readSchedule(runs.home, schedule, generation);
      const at = tickTime(workflow);
      if (record.isErr()) return { kind: 'refused', error: record.error };
      if (!at) throw new Error(`Bug: "${workflow}" is not the id of a tick`);
      return ticks.prepare(record.value, at, workflow);
    },
  };
}

class Ticks {
  private readonly shelf: FactoryShelf;

  constructor(private readonly runs: FactoryRuns) {
    this.shelf = new FactoryShelf(runs.home);
  }

  async prepare(schedule: ScheduleRecord, at: Date, workflow: string): Promise<PreparedRun> {
    const { home } = this.runs;
    const run = tickRun(schedule, at);
    if (await this.hasStarted(run, workflow)) return { kind: 'started', run };
    if (schedule.overlap === 'terminate_other') await this.endTerminated(schedule);
    const prepared = await this.prepareRun(schedule, at, run, workflow);
    const error = prepared.isErr() ? prepared.error : null;
    if (error && error.retry.kind !== 'not_retryable')
      throw ApplicationFailure.retryable(error.message, error.code);
    const tick = { at: at.toISOString(), takenAt: new Date().toISOString(), run, refusal: error };
    await saveTick(home, schedule, { version: 1, ...tick });
    return prepared.match(
      (value) => value,
      (refusal) => ({ kind: 'refused', error: refusal }),
    );
  }

  private async prepareRun(
    schedule: ScheduleRecord,
    at: Date,
    run: string,
    workflow: string,
  ): Promise<Result<Extract<PreparedRun, { kind: 'prepared' }>, RailyardError>> {
    const compilation = this.compilationOf(schedule);
    if (compilation.isErr()) return err(compilation.error);
    const { startedBy, name } = schedule;
    const request = { parameters: tickParameters(schedule, at), startedBy };
    const input = await this.runs.prepare(compilation.value, request, run, { schedule: name, workflow });
    const summary = `${summaryOf(compilation.value, startedBy)} by the schedule ${name}`;
    return input.map((value) => ({ kind: 'prepared', run, input: value, summary }));
  }

  private compilationOf({ factoryHash }: ScheduleRecord): Result<Compilation, RailyardError> {
    return this.shelf.read(factoryHash).andThen((compiled) => {
      const plan = cutPlan(compiled, factoryHash);
      // The shelf found it under this digest.
      return plan.isOk()
        ? ok({ compiled, factoryHash: factoryHash as Compilation['factoryHash'], plan: plan.value })
        : err(problem('INTERNAL', `The plan of a schedule is too large: ${plan.error.message}`));
    });
  }

  /** Has an earlier execution of this tick, by a backfill of the same time, started the run? */
  private async hasStarted(run: string, workflow: string): Promise<boolean> {
    const { home, client } = this.runs;
    if (readRun(home, run).unwrapOr(null)?.tick?.workflow !== workflow) return false;
    const seen = await callTemporal(client, run, () => client.workflow.getHandle(run).describe());
    if (seen.isErr() && isAway(seen.error))
      throw ApplicationFailure.retryable(seen.error.message, seen.error.code);
    return seen.isOk();
  }

  /** Temporal has ended the ticks that this one takes the place of. Their runs are told to stop, and not waited for. */
  private async endTerminated(schedule: ScheduleRecord): Promise<void> {
    const { home, client } = this.runs;
    const status = async (workflow: string): Promise<string | null> => {
      const seen = await callTemporal(client, workflow, () => client.workflow.getHandle(workflow).describe());
      return seen.isOk() ? seen.value.status.name : null;
    };
    for (const { at, run, refusal } of await listTicks(home, schedule, LOOK_BACK)) {
      if (refusal || (await status(run)) !== 'RUNNING') continue;
      if ((await status(tickWorkflow(home, schedule, new Date(at)))) !== 'TERMINATED') continue;
      await callTemporal(client, run, () => client.workflow.getHandle(run).cancel());
    }
  }
}
