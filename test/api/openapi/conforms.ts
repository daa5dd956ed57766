/** Does an answer look as the document says? */
import { ANSWERS, OPERATIONS, type Operation } from '../../../api/openapi/operations';
import { ErrorAnswer } from '../../../api/openapi/other-answers';
import { openApi } from '../../../api/openapi';

const { paths } = openApi();

/** The operation of a method and a path below the root of the service. */
export function operationOf(method: string, path: string): Operation {
  const [plain = ''] = path.split('?');
  const fits = (template: string): boolean =>
    new RegExp(`^${template.replace('{path}', '.*').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain);
  const found = OPERATIONS.filter((one) => one.method === method.toLowerCase() && fits(one.path));
  // A path without variables is meant rather than one with them.
  const operation = found.find((one) => one.path === plain) ?? found[0];
  if (!operation) throw new Error(`Nothing is said about ${method} ${path}`);
  return operation;
}

/** What is wrong with an answer; empty: it is as documented. */
export function faultsIn(operation: Operation, status: number, body: unknown): string[] {
  const documented = paths[operation.path]?.[operation.method]?.responses[String(status)];
  if (!documented) return [`${operation.method} ${operation.path}: ${status} is not documented`];
  const success = operation.answers[status];
  if (success === undefined) {
    const error = ErrorAnswer.safeParse(body);
    if (!error.success) return [`not an error: ${JSON.stringify(body)}`];
    const named = documented.description.split(', ').includes(error.data.code);
    return named ? [] : [`${operation.method} ${operation.path}: ${error.data.code} is not documented`];
  }
  if (success === 'empty' || !('schema' in success)) return [];
  const parsed = ANSWERS[success.schema].safeParse(body);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('/')}: ${message}`);
}
