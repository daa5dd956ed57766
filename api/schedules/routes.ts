/** Schedules: create, list, read, pause, resume, run now, backfill with preview, delete. */
import { type FastifyInstance } from 'fastify';
import { refuse, send } from '../answers';
import { read } from '../bodies';
import { cursorOf } from '../cursor';
import { type FactoryRuns } from '../factory-runs';
import { requestId } from '../idempotency-key';
import { Backfills, type PlannedTick } from './backfill';
import { BackfillBody, PauseBody, PreviewQuery, RunNowBody, ScheduleBody, SchedulesQuery } from './bodies';
import { Schedules } from './schedules';

interface ScheduleParams {
  readonly Params: { readonly schedule: string };
}

export function scheduleRoutes(api: FastifyInstance, runs: FactoryRuns): void {
  const schedules = new Schedules(runs);
  const backfills = new Backfills(runs, schedules);

  api.post('/schedule', async (request, reply) => {
    const body = read(ScheduleBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const { name, template, parameters, cron, overlap } = body.value;
    const wanted = {
      ...{ name, template, parameters, cron, overlap },
      timeZone: body.value.time_zone,
      catchUpSeconds: body.value.catch_up_seconds,
      pauseOnFailure: body.value.pause_on_failure,
      startedBy: body.value.started_by ?? 'local',
    };
    const created = await schedules.create(wanted, key.value);
    return send(
      reply,
      created.map(({ view, warnings }) => ({ ...view, url: `/api/a360/schedule/${name}`, warnings })),
      created.isOk() && !created.value.fresh ? 200 : 201,
    );
  });

  api.get('/schedule', async (request, reply) => {
    const query = read(SchedulesQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    const page = await schedules.list(query.value);
    return reply.send({
      schedules: page.schedules,
      next_cursor: page.next === null ? null : cursorOf(page.next),
    });
  });

  api.get<ScheduleParams>('/schedule/:schedule', async (request, reply) =>
    send(reply, await schedules.read(request.params.schedule)),
  );

  for (const type of ['pause', 'resume'] as const) {
    api.post<ScheduleParams>(`/schedule/:schedule/${type}`, async (request, reply) => {
      const body = read(PauseBody, request.body);
      if (body.isErr()) return refuse(reply, body.error);
      const key = requestId(request);
      if (key.isErr()) return refuse(reply, key.error);
      return send(reply, await schedules.pause(request.params.schedule, type, body.value, key.value));
    });
  }

  api.post<ScheduleParams>('/schedule/:schedule/run', async (request, reply) => {
    const body = read(RunNowBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const asked = await schedules.runNow(request.params.schedule, key.value);
    return send(
      reply,
      asked.map(({ run, at }) => ({ run_id: run, scheduled_at: at.toISOString() })),
      asked.isOk() && !asked.value.fresh ? 200 : 202,
    );
  });

  api.get<ScheduleParams>('/schedule/:schedule/backfill', async (request, reply) => {
    const query = read(PreviewQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    const ticks = await backfills.preview(request.params.schedule, query.value);
    return send(reply, ticks.map(inWords));
  });

  api.post<ScheduleParams>('/schedule/:schedule/backfill', async (request, reply) => {
    const body = read(BackfillBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const { from, to, overlap } = body.value;
    const ticks = await backfills.start(request.params.schedule, { from, to, overlap }, key.value);
    return send(reply, ticks.map(inWords), 202);
  });

  api.delete<ScheduleParams>('/schedule/:schedule', async (request, reply) => {
    const { schedule } = request.params;
    const deleted = await schedules.delete(schedule);
    return send(
      reply,
      deleted.map(() => ({ name: schedule, deleted: true })),
    );
  });
}

const inWords = (ticks: readonly PlannedTick[]): object => ({
  ticks: ticks.map(({ at, run, exists }) => ({ scheduled_at: at.toISOString(), run_id: run, exists })),
});
