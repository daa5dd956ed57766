/** Requests that no route takes: the path is not known, or not with this method. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { problem } from '../src/errors';
import { refuse } from './answers';

/** Refuse them before their body is looked at. After the guard: strangers are not told which paths there are. */
export function refuseUnrouted(server: FastifyInstance): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = methodsOf(server.routeNames, path);
    if (allowed.length === 0) {
      return refuse(reply, problem('ROUTE_NOT_FOUND', `There is no ${request.method} ${path}.`));
    }
    const list = allowed.join(', ');
    const message = `${path} is not for ${request.method}.`;
    const more = { suggestion: `Use ${list}.`, details: { allow: allowed } };
    return refuse(reply.header('allow', list), problem('METHOD_NOT_ALLOWED', message, more));
  };
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) await answer(request, reply);
  });
  server.setNotFoundHandler(answer);
}

/** The methods that a path is registered with; one that is registered to the letter is not taken for a name in another. */
function methodsOf(routes: Iterable<string>, path: string): string[] {
  const [exact, fitting] = [new Set<string>(), new Set<string>()];
  for (const route of routes) {
    const [method = '', pattern = ''] = route.split(' ', 2);
    if (pattern === path) exact.add(method);
    if (matcher(pattern).test(path)) fitting.add(method);
  }
  return [...(exact.size > 0 ? exact : fitting)].sort();
}

function matcher(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
