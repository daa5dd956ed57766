/** Templates over HTTP: those that come with Railyard, and a look at any other without starting it. */
import { type FastifyInstance } from 'fastify';
import { compileTemplate, graph } from '../../src/factory/compile';
import { refuse, send } from '../answers';
import { GraphBody, GraphQuery, read, ValidateBody } from '../bodies';
import { factsOf, TemplateShelf } from './template-shelf';

interface NameParams {
  readonly Params: { readonly name: string };
}

export function templateRoutes(api: FastifyInstance): void {
  const shelf = new TemplateShelf();

  api.get('/template', async () => ({ templates: await shelf.list() }));

  api.get<NameParams>('/template/:name', async (request, reply) =>
    send(reply, await shelf.read(request.params.name)),
  );

  api.get<NameParams>('/template/:name/graph', async (request, reply) => {
    const query = read(GraphQuery, request.query);
    if (query.isErr()) return refuse(reply, query.error);
    const { format } = query.value;
    const compiled = (await shelf.read(request.params.name)).andThen(compileTemplate);
    return send(
      reply,
      compiled.map((value) => ({ format, text: graph(value.compiled, format) })),
    );
  });

  api.post('/template/validate', async (request, reply) => {
    const body = read(ValidateBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    return send(
      reply,
      compileTemplate(body.value.template).map((value) => ({ valid: true, ...factsOf(value) })),
    );
  });

  api.post('/template/graph', async (request, reply) => {
    const body = read(GraphBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const { template, format } = body.value;
    return send(
      reply,
      compileTemplate(template).map((value) => ({ format, text: graph(value.compiled, format) })),
    );
  });
}
