/** The OpenAPI 3.1 document, made from the table of operations. */
import { type z } from 'zod';
import { ERRORS, type ErrorCode } from '../../src/errors';
import { ErrorAnswer } from './other-answers';
import { jsonSchema, type JsonSchema } from './json-schema';
import { ANSWERS, HEADERS, OPERATIONS, type Operation, type Success } from './operations';

/** Parts of paths. */
const PARAMETERS: Readonly<Record<string, string>> = {
  run: 'The id of a run',
  block: 'The id of a block',
  key: 'The key of an artifact',
  path: 'With slashes: the path of a file in the directory, or of a webhook',
  digest: '"sha256:" and 64 hexadecimal digits',
  name: 'The name of a template',
  id: 'The id of a key',
  schedule: 'The name of a schedule',
};

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: JsonSchema;
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly JsonSchema[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema & { readonly description: string }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Make the document. */
export function openApi(): OpenApi {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of OPERATIONS) {
    (paths[operation.path] ??= {})[operation.method] = documented(operation);
  }
  const answers = Object.entries(ANSWERS).map(
    ([name, schema]) => [name, jsonSchema(schema, 'output')] as const,
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Railyard',
      version: '1',
      description: 'Factory runs, their gates and artifacts. Every answer that is no success is an Error.',
    },
    paths,
    components: {
      schemas: { ...Object.fromEntries(answers), Error: jsonSchema(ErrorAnswer, 'output') },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function documented(operation: Operation): DocumentedOperation {
  const { method, path, tag, summary, body, open } = operation;
  const successes = Object.entries(operation.answers).map(
    ([status, success]) => [status, { description: 'It is so.', ...contentOf(success) }] as const,
  );
  return {
    operationId: `${method} ${path}`.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, ''),
    tags: [tag],
    summary,
    security: open ? [] : [{ key: [] }],
    parameters: parametersOf(operation),
    ...(body ? { requestBody: requestBody(body) } : {}),
    responses: { ...Object.fromEntries(successes), ...refusalsOf(operation) },
  };
}

const named = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function contentOf(success: Success): JsonSchema {
  if (success === 'empty') return {};
  return 'schema' in success
    ? { content: { 'application/json': { schema: named(success.schema) } } }
    : { content: { [success.type]: {} } };
}

function requestBody(body: z.ZodType): JsonSchema {
  const schema = jsonSchema(body, 'input');
  return { required: 'required' in schema, content: { 'application/json': { schema } } };
}

function parametersOf({ path, query, headers = [] }: Operation): Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => {
    const schema = { type: 'string', minLength: 1 };
    return { name, in: 'path', required: true, description: PARAMETERS[name] ?? '', schema };
  });
  const { properties = {}, required } = query ? jsonSchema(query, 'input') : {};
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const inQuery = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, schema]): Parameter => ({
      ...{ name, in: 'query', required: isRequired(name), description: '', schema },
    }),
  );
  const inHeaders = headers.map((name): Parameter => ({
    ...{ name, in: 'header', required: false, description: HEADERS[name] },
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeaders];
}

/** The codes that an operation may be refused with: its own, and those that every one of its kind has. */
export function refusalCodes({ errors, method, open }: Operation): ReadonlySet<ErrorCode> {
  return new Set<ErrorCode>([
    ...errors,
    ...(['INPUT_INVALID', 'ROUTE_NOT_FOUND', 'RATE_LIMITED', 'INTERNAL'] as const),
    // SERVICE_AWAY: what a token is checked with is out of reach.
    ...(open ? [] : (['UNAUTHENTICATED', 'FORBIDDEN', 'SERVICE_AWAY'] as const)),
    // Also where no body is asked for, one that comes is read.
    ...(method === 'get' ? [] : (['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ]);
}

/** Refusals by status; each status names the codes that come with it. */
function refusalsOf(operation: Operation): DocumentedOperation['responses'] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of refusalCodes(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers = [...byStatus].map(([status, some]) => {
    const content = { 'application/json': { schema: named('Error') } };
    return [String(status), { description: some.join(', '), content }] as const;
  });
  return Object.fromEntries(answers);
}
