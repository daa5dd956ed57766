/** The document and its page over HTTP. */
import { type FastifyInstance } from 'fastify';
import { openApi } from './document';
import { page, PAGE_POLICY } from './page';

export function openApiRoutes(server: FastifyInstance): void {
  const document = openApi();
  const html = page(document);
  server.get('/openapi.json', () => document);
  server.get('/docs', (_request, reply) =>
    reply.headers({ 'content-security-policy': PAGE_POLICY }).type('text/html; charset=utf-8').send(html),
  );
}
