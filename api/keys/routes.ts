/** Keys of people and programs, over HTTP: for whoever holds the local key. */
import { type FastifyInstance } from 'fastify';
import { createKey, keyLine, listKeys, revokeKey, type Home } from '../../src/home';
import { refuse, send } from '../answers';
import { KeyBody, read } from '../bodies';

interface KeyParams {
  readonly Params: { readonly id: string };
}

export function keyRoutes(api: FastifyInstance, home: Home): void {
  api.post('/key', async (request, reply) => {
    const body = read(KeyBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const { name, roles, expires } = body.value;
    const { key, record } = await createKey(home, {
      name,
      roles,
      expires: expires ? new Date(expires) : null,
    });
    // Nothing on the way may keep what is shown this once.
    void reply.header('cache-control', 'no-store');
    return reply.code(201).send({ key, ...keyLine(record, new Date()) });
  });

  api.get('/key', async (_request, reply) => {
    const now = new Date();
    return reply.send({ keys: (await listKeys(home)).map((record) => keyLine(record, now)) });
  });

  api.post<KeyParams>('/key/:id/revoke', async (request, reply) =>
    send(
      reply,
      (await revokeKey(home, request.params.id)).map((record) => keyLine(record, new Date())),
    ),
  );
}
