/** Runs: start, list, read, pause, resume, cancel, retry or trigger a block, tell of an event. */
import { randomUUID } from 'node:crypto';
import { type FastifyInstance } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { type Answer } from '../../src/factory/walk';
import { refuse, send, sendFired } from '../answers';
import { ControlBody, EventBody, ListQuery, read, ResumeBody, StartBody, TriggerBody } from '../bodies';
import { cursorOf } from '../cursor';
import { type FactoryRuns } from '../factory-runs';
import { requestId } from '../idempotency-key';
import { KeyedStarts } from '../keyed-starts';
import { RunList } from '../run-list';
import { type RunRoll } from '../run-roll';

interface RunParams {
  readonly Params: { readonly run: string };
}
interface BlockParams {
  readonly Params: { readonly run: string; readonly block: string };
}

export function runRoutes(api: FastifyInstance, runs: FactoryRuns, roll: RunRoll): void {
  const keyed = new KeyedStarts(runs);
  const list = new RunList(runs, roll);

  api.post('/factory-run', async (request, reply) => {
    const body = read(StartBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const { template, parameters, started_by, run_id = null } = body.value;
    if (key.value !== null && run_id !== null) return refuse(reply, twoNames());
    const wanted = { template, parameters, startedBy: started_by ?? 'local', run: run_id };
    const started =
      key.value === null
        ? (await runs.start(wanted)).map((value) => ({ ...value, fresh: true }))
        : await keyed.start(key.value, wanted);
    return send(
      reply,
      started.map(({ run, warnings }) => ({ run_id: run, url: `/api/a360/factory-run/${run}`, warnings })),
      started.isOk() && !started.value.fresh ? 200 : 201,
    );
  });

  api.get('/factory-run', async (request, reply) => {
    const query = read(ListQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    const { status = null, factory = null, started_by: startedBy = null, limit } = query.value;
    const page = await list.page({ status, factory, startedBy, limit, after: query.value.cursor ?? null });
    return reply.send({
      runs: page.runs,
      next_cursor: page.next === null ? null : cursorOf(page.next),
    });
  });

  api.get<RunParams>('/factory-run/:run', async (request, reply) =>
    send(reply, await runs.read(request.params.run)),
  );

  api.post<RunParams>('/factory-run/:run/resume', async (request, reply) => {
    const body = read(ResumeBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const id = key.value === null ? randomUUID() : `resume-${key.value}`;
    const { by, take_over: takeOver } = body.value;
    return send(reply, await runs.resume(request.params.run, { by, takeOver }, id));
  });

  for (const type of ['pause', 'cancel'] as const) {
    api.post<RunParams>(`/factory-run/:run/${type}`, async (request, reply) => {
      const body = read(ControlBody, request.body);
      if (body.isErr()) return refuse(reply, body.error);
      const key = requestId(request);
      if (key.isErr()) return refuse(reply, key.error);
      const { by, reason } = body.value;
      const why = type === 'cancel' && reason !== undefined ? { reason } : {};
      const id = key.value === null ? randomUUID() : `${type}-${key.value}`;
      return send(reply, await runs.control(request.params.run, { type, by, ...why }, id));
    });
  }

  api.post<BlockParams>('/factory-run/:run/block/:block/retry', async (request, reply) => {
    const body = read(ControlBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const { run, block } = request.params;
    const id = key.value === null ? randomUUID() : `retry-${key.value}`;
    const answer = await runs.control(run, { type: 'retry-block', block, by: body.value.by }, id);
    return send(
      reply,
      answer.andThen((said) => about(block, said)),
    );
  });

  api.post<BlockParams>('/factory-run/:run/block/:block/trigger', async (request, reply) => {
    const body = read(TriggerBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const { run, block } = request.params;
    const id = key.value ?? randomUUID();
    return sendFired(
      reply,
      await runs.fire(run, { type: 'trigger', block, via: 'manual', id, ...body.value }),
    );
  });

  api.post<RunParams>('/factory-run/:run/event', async (request, reply) => {
    const body = read(EventBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const id = key.value ?? randomUUID();
    return sendFired(reply, await runs.fire(request.params.run, { type: 'event', id, ...body.value }));
  });
}

/** An answer that was given before under the same key may be about another block. */
function about(block: string, answer: Answer): Result<Answer, RailyardError> {
  const other = answer.kind === 'retrying' && answer.block !== block;
  if (!other) return ok(answer);
  const message = `This Idempotency-Key has retried the block "${answer.block}".`;
  return err(
    problem('IDEMPOTENCY_KEY_REUSED', message, { suggestion: 'Use a key of its own for each retry.' }),
  );
}

const twoNames = (): RailyardError =>
  problem('INPUT_INVALID', 'An Idempotency-Key gives the run its id, and so does "run_id".', {
    suggestion: 'Send one of the two.',
  });
