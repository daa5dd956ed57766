/** Webhooks over HTTP. A call needs no key: its signature, which is over the very bytes of the body, says that it may come. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { problem } from '../../src/errors';
import { refuse, send, sendFired } from '../answers';
import { type FactoryRuns } from '../factory-runs';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './signature';
import { Webhooks } from './webhooks';

/** A payload has at most 64 KB as JSON; this leaves room for how it is written. */
const BODY_LIMIT_BYTES = 128 * 1024;

interface ListParams {
  readonly Params: { readonly run: string };
}
interface CallParams {
  readonly Params: { readonly run: string; readonly '*': string };
}

export function webhookRoutes(api: FastifyInstance, runs: FactoryRuns): void {
  const webhooks = new Webhooks(runs);

  api.get<ListParams>('/factory-run/:run/webhooks', async (request, reply) => {
    // There are secrets in it.
    void reply.header('cache-control', 'no-store');
    const list = await webhooks.list(request.params.run);
    return send(
      reply,
      list.map((all) => ({ webhooks: all })),
    );
  });

  const take = async (request: FastifyRequest<CallParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const { run, '*': rest } = request.params;
    const webhook = { run, path: `/${rest}` };
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const proof = {
      timestamp: request.headers[TIMESTAMP_HEADER],
      signature: request.headers[SIGNATURE_HEADER],
    };
    const checked = await webhooks.check(webhook, proof, body);
    if (checked.isErr()) {
      const often = api.noteUnproven(request, checked.error);
      if (often) return refuse(reply, often);
      const suggestion =
        'Sign the call with the secret that `railyard webhooks <run>` shows, and send it at once.';
      void reply.header('www-authenticate', 'Railyard-Signature');
      return refuse(reply, problem('UNAUTHENTICATED', checked.error, { suggestion }));
    }
    return sendFired(reply, await webhooks.take(webhook, checked.value, body));
  };

  api.register((calls, _options, done) => {
    // The bytes as they came, whatever they are called.
    calls.removeAllContentTypeParsers();
    calls.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    calls.post<CallParams>('/factory-run/:run/webhook/*', { bodyLimit: BODY_LIMIT_BYTES }, take);
    done();
  });
}
