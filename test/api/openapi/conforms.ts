/** Does an answer look as the document says? */
import { OPERATIONS, type Operation } from '../../../api/openapi/operations';

export { faultsIn } from '../../../api/openapi/held-answers';

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
