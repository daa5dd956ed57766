/** Runs: start, list, read, pause, resume, cancel, retry a block. */
import { type FastifyInstance } from 'fastify';
import { refuse, send } from '../answers';
import { ControlBody, ListQuery, read, StartBody } from '../bodies';
import { type FactoryRuns } from '../factory-runs';

interface RunParams {
  readonly Params: { readonly run: string };
}
interface BlockParams {
  readonly Params: { readonly run: string; readonly block: string };
}

export function runRoutes(api: FastifyInstance, runs: FactoryRuns): void {
  api.post('/factory-run', async (request, reply) => {
    const body = read(StartBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const { template, parameters, started_by, run_id } = body.value;
    const started = await runs.start({
      template,
      parameters,
      startedBy: started_by ?? 'local',
      run: run_id ?? null,
    });
    return send(
      reply,
      started.map(({ run, warnings }) => ({ run_id: run, url: `/api/a360/factory-run/${run}`, warnings })),
      201,
    );
  });

  api.get('/factory-run', async (request, reply) => {
    const query = read(ListQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    return { runs: await runs.list(query.value.limit) };
  });

  api.get<RunParams>('/factory-run/:run', async (request, reply) =>
    send(reply, await runs.read(request.params.run)),
  );

  for (const type of ['pause', 'resume', 'cancel'] as const) {
    api.post<RunParams>(`/factory-run/:run/${type}`, async (request, reply) => {
      const body = read(ControlBody, request.body);
      if (body.isErr()) return refuse(reply, body.error);
      const { by, reason } = body.value;
      const why = type === 'cancel' && reason !== undefined ? { reason } : {};
      return send(reply, await runs.control(request.params.run, { type, by, ...why }));
    });
  }

  api.post<BlockParams>('/factory-run/:run/block/:block/retry', async (request, reply) => {
    const body = read(ControlBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const { run, block } = request.params;
    return send(reply, await runs.control(run, { type: 'retry-block', block, by: body.value.by }));
  });
}
