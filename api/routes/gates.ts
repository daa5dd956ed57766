/** Gates: approve and reject, on the paths and with the bodies of the Block v2 document. */
import { randomUUID } from 'node:crypto';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type GateDecision } from '../../src/factory/run-state';
import { refuse, send } from '../answers';
import { ApproveBody, read, RejectBody } from '../bodies';
import { type FactoryRuns } from '../factory-runs';
import { requestId } from '../idempotency-key';

interface GateParams {
  readonly Params: { readonly run: string; readonly block: string };
}

export function gateRoutes(api: FastifyInstance, runs: FactoryRuns): void {
  const decide = async (
    request: FastifyRequest<GateParams>,
    reply: FastifyReply,
    said: Partial<GateDecision> & Pick<GateDecision, 'decision' | 'approver' | 'role' | 'notes'>,
  ): Promise<FastifyReply> => {
    const key = requestId(request);
    if (key.isErr()) return refuse(reply, key.error);
    const decided = await runs.decide(request.params.run, {
      // The same key again gets the same answer; without one, every request is a decision of its own.
      id: key.value ?? randomUUID(),
      block: request.params.block,
      gate: null,
      action: 'retry',
      feedback: '',
      override: false,
      justification: '',
      attempt: null,
      digests: null,
      ...said,
    });
    return send(reply, decided, decided.isOk() && decided.value.kind === 'stored' ? 202 : 200);
  };

  api.post<GateParams>('/factory-run/:run/gate/:block/approve', async (request, reply) => {
    const body = read(ApproveBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    return decide(request, reply, { decision: 'approve', ...known(body.value) });
  });

  api.post<GateParams>('/factory-run/:run/gate/:block/reject', async (request, reply) => {
    const body = read(RejectBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    return decide(request, reply, { decision: 'reject', ...known(body.value) });
  });
}

/** Without the keys that were not sent: a default must not be overwritten by undefined. */
function known<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
