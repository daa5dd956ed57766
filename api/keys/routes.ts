/** Keys of people and programs, over HTTP: for whoever holds the local key. */
import { type FastifyInstance } from 'fastify';
import { createKey, keyLine, listKeys, revokeKey, type Home, type KeyLine } from '../../src/home';
import { refuse, send } from '../answers';
import { KeyBody, KeysQuery, read } from '../bodies';
import { cursorOf } from '../cursor';

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

  api.get('/key', async (request, reply) => {
    const query = read(KeysQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    const { state, name, limit, cursor } = query.value;
    const now = new Date();
    const asked = (await listKeys(home))
      .map((record) => keyLine(record, now))
      .filter((key) => state === undefined || key.state === state)
      .filter((key) => name === undefined || key.name === name)
      .filter((key) => cursor === undefined || placeOf(key) > cursor);
    const page = asked.slice(0, limit);
    const last = asked.length > limit ? page.at(-1) : undefined;
    return reply.send({ keys: page, next_cursor: last ? cursorOf(placeOf(last)) : null });
  });

  api.post<KeyParams>('/key/:id/revoke', async (request, reply) =>
    send(
      reply,
      (await revokeKey(home, request.params.id)).map((record) => keyLine(record, new Date())),
    ),
  );
}

/** Where a key stands in the list, the oldest first, as a text that sorts. */
const placeOf = ({ created, id }: KeyLine): string => `${created} ${id}`;
