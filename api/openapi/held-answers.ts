/**
 * What leaves is held against the table that the document is made from. A success that is not as documented is a fault of
 * ours: it is logged, and the caller gets INTERNAL rather than something they cannot rely on. A refusal goes out in any case,
 * since it says more than INTERNAL would; one that the document does not name is logged.
 */
import { type FastifyInstance } from 'fastify';
import { refusalCodes } from './document';
import { ErrorAnswer } from './other-answers';
import { ANSWERS, OPERATIONS, type Operation } from './operations';

/** The table, by method and path as they are registered. */
const BY_ROUTE: ReadonlyMap<string, Operation> = new Map(
  OPERATIONS.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one]),
);

/** Hold every JSON answer of a server against the table. Before its routes. */
export function holdAnswers(server: FastifyInstance, log: (line: string) => void): void {
  server.addHook('preSerialization', async (request, reply, payload) => {
    const { url } = request.routeOptions;
    const operation = url === undefined ? undefined : operationOf(request.method, url);
    if (!operation) return payload;
    const faults = faultsIn(operation, reply.statusCode, payload);
    if (faults.length === 0) return payload;
    const line = `${operation.method} ${operation.path} answered ${reply.statusCode}: ${faults.join('; ')}`;
    if (reply.statusCode < 400) throw new Error(`Bug: ${line}`);
    log(`HTTP ${request.id} ${line}`);
    return payload;
  });
}

/** The operation of a registered route. HEAD is GET. */
function operationOf(method: string, url: string): Operation | undefined {
  const path = url.replaceAll(/:(\w+)/g, '{$1}').replace('/*', '/{path}');
  return BY_ROUTE.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
}

/** What is wrong with an answer; empty: it is as documented. */
export function faultsIn(operation: Operation, status: number, body: unknown): string[] {
  const success = operation.answers[status];
  if (success === undefined) {
    const error = ErrorAnswer.safeParse(body);
    if (!error.success) return ['it is neither a documented answer nor an error'];
    const { code } = error.data;
    return refusalCodes(operation).has(code) ? [] : [`${code} is not documented`];
  }
  if (success === 'empty' || !('schema' in success)) return [];
  const parsed = ANSWERS[success.schema].safeParse(body);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('/')}: ${message}`);
}
