/** Schedules behind their HTTP routes, and what tests ask of them. */
import { type ScheduleView, type TickView } from '../../../api/schedules';
import { type RailyardError } from '../../../src/errors';
import { type Template } from '../../../src/factory/schema';
import { until } from '../../cli/railyard';
import { factory, scripted } from '../../yard/templates';
import { Caller, type Answer } from '../caller';

/** It is due once a year: nothing happens in a test by itself. */
export const RARELY = '0 0 1 1 *';
export const QUICK = factory([scripted('a')]);

export interface PlannedTicks {
  readonly ticks: readonly { scheduled_at: string; run_id: string; exists: boolean }[];
}

export class Scene {
  private constructor(readonly caller: Caller) {}

  static async open(): Promise<Scene> {
    return new Scene(await Caller.open());
  }

  /** Schedules outlive a test's data directory in the shared server, so they go first. */
  async close(): Promise<void> {
    const { body } = await this.caller.call<{ schedules: { name: string }[] }>('GET', '/schedule?limit=200');
    for (const { name } of body.schedules) await this.caller.call('DELETE', `/schedule/${name}`);
    await this.caller.close();
  }

  create(
    name: string,
    template: Template = QUICK,
    more: object = {},
  ): Promise<Answer<ScheduleView & RailyardError>> {
    return this.caller.call('POST', '/schedule', {
      name,
      template,
      cron: RARELY,
      started_by: 'sam',
      ...more,
    });
  }

  async read(name: string): Promise<ScheduleView> {
    return (await this.caller.call<ScheduleView>('GET', `/schedule/${name}`)).body;
  }

  async runNow(name: string, key?: string): Promise<Answer<{ run_id: string; scheduled_at: string }>> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return this.caller.call('POST', `/schedule/${name}/run`, {}, headers);
  }

  preview(name: string, from: string, to: string): Promise<Answer<PlannedTicks & RailyardError>> {
    const query = new URLSearchParams({ from, to }).toString();
    return this.caller.call('GET', `/schedule/${name}/backfill?${query}`);
  }

  backfill(name: string, body: object, key?: string): Promise<Answer<PlannedTicks & RailyardError>> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return this.caller.call('POST', `/schedule/${name}/backfill`, body, headers);
  }

  /** Wait until the ticks of a schedule look as they should, the oldest taken first. */
  async untilTicks(
    name: string,
    holds: (ticks: readonly TickView[]) => boolean,
  ): Promise<readonly TickView[]> {
    let ticks: readonly TickView[] = [];
    await until(
      async () => {
        ticks = [...(await this.read(name)).ticks].reverse();
        return holds(ticks);
      },
      () => JSON.stringify(ticks, null, 1),
    );
    return ticks;
  }

  /** The ids of the runs that Temporal has and that belong to a schedule. */
  async runsOf(name: string): Promise<string[]> {
    const { body } = await this.caller.call<{ runs: { run_id: string }[] }>('GET', '/factory-run?limit=200');
    return body.runs.map(({ run_id }) => run_id).filter((run) => run.startsWith(`${name}-2`));
  }
}
