/** The gate inbox over HTTP. Reading it changes nothing. */
import { type FastifyInstance } from 'fastify';
import { refuse, send } from '../answers';
import { GateQuery, read } from '../bodies';
import { cursorOf } from '../cursor';
import { type FactoryRuns } from '../factory-runs';
import { type RunRoll } from '../run-roll';
import { Inbox } from './inbox';

interface GateParams {
  readonly Params: { readonly run: string; readonly block: string };
}

export function inboxRoutes(api: FastifyInstance, runs: FactoryRuns, roll: RunRoll): void {
  const inbox = new Inbox(runs, roll);

  api.get('/gate', async (request, reply) => {
    const query = read(GateQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    const { role = null, run = null, overdue = null, limit, cursor: after = null } = query.value;
    const page = await inbox.page({ role, run, overdue, limit, after });
    return send(
      reply,
      page.map(({ gates, total, next, unread }) => ({
        gates,
        total,
        next_cursor: next === null ? null : cursorOf(next),
        unread,
      })),
    );
  });

  api.get<GateParams>('/factory-run/:run/gate/:block', async (request, reply) =>
    send(reply, await inbox.evidence(request.params.run, request.params.block)),
  );
}
