/** The page of the tools, from the same list that clients get. */
import { TOOL_LIST } from '../api/mcp';

type Schema = Readonly<Record<string, unknown>>;

/** A line for each field, what it is and whether it may be left out. */
export function toolsPage(): string {
  const tools = TOOL_LIST.flatMap(
    ({ name, title = '', description = '', annotations, inputSchema, outputSchema }) => [
      `## \`${name}\``,
      '',
      `**${title}.** ${description}`,
      '',
      hintsOf(annotations ?? {}),
      '',
      '### Takes',
      '',
      ...fields(inputSchema),
      '### Answers',
      '',
      ...fields(outputSchema ?? {}),
    ],
  );
  return [
    '# Tools',
    '',
    'Made from `src/workrail/protocol/tools.ts` by `npm run docs`: the same schemas and descriptions that a client gets. How to add',
    'the server to a client is in [the guide](../guides/mcp.md).',
    '',
    'Every refusal is a result with `isError` and one text: the envelope `{code, message, suggestion, retry, details?}` of',
    '[the errors](../errors.md) as JSON. An unknown tool is an error of the protocol with the envelope as its `data`.',
    '',
    ...tools,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function hintsOf({
  readOnlyHint = false,
  idempotentHint = false,
}: {
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
}): string {
  if (readOnlyHint) return 'It reads, and changes nothing.';
  return idempotentHint
    ? 'It writes; the same call sent again does nothing anew.'
    : 'It writes; each call does it anew.';
}

function fields(schema: Schema): string[] {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return ['Nothing.', ''];
  return ['| field | type | |', '| --- | --- | --- |', ...rows, ''];
}

/** Fields with those below them, as `a.b` and, in lists, `a[].b`. */
function rowsOf(schema: Schema, path: string): string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(partsOf(schema.properties)).flatMap(([name, field]) => {
    const at = `${path}${name}`;
    const optional = required.includes(name) || 'default' in field ? '' : ', may be missing';
    const text = typeof field.description === 'string' ? field.description : '';
    const [inner, below] = innerOf(field, at);
    const cell = (text: string): string => text.replaceAll('|', '\\|');
    return [`| \`${at}\` | ${cell(typeOf(field))}${optional} | ${cell(text)} |`, ...rowsOf(inner, below)];
  });
}

/** The object in a field: its own, that of a list, or the one beside null. Several kinds of object are shown by their type. */
function innerOf(field: Schema, at: string): readonly [Schema, string] {
  if (field.type === 'array') return [asSchema(field.items), `${at}[].`];
  const objects = choices(field).filter((one) => one.properties !== undefined);
  return [objects.length > 1 ? {} : (objects[0] ?? field), `${at}.`];
}

function typeOf(field: Schema): string {
  const plain = plainTypeOf(field);
  return 'default' in field ? `${plain}, \`${JSON.stringify(field.default)}\` by default` : plain;
}

function plainTypeOf(field: Schema): string {
  if (Array.isArray(field.enum)) return field.enum.map((one) => `\`${JSON.stringify(one)}\``).join(' or ');
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  const some = choices(field);
  if (some.length > 0) return [...new Set(some.map(typeOf))].join(' or ');
  if (field.type === 'array') {
    const items = asSchema(field.items);
    return items.type === undefined && choices(items).length === 0 ? 'list' : `list of ${typeOf(items)}`;
  }
  const { kind, ...others } = partsOf(field.properties);
  if (kind?.const !== undefined) {
    return `\`{kind: ${JSON.stringify(kind.const)}${Object.keys(others)
      .map((one) => `, ${one}`)
      .join('')}}\``;
  }
  return typeof field.type === 'string' ? field.type : 'any JSON';
}

const choices = (field: Schema): Schema[] =>
  [field.anyOf, field.oneOf].flatMap((some) => (Array.isArray(some) ? some.map(asSchema) : []));

const partsOf = (value: unknown): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(asSchema(value)).map(([name, part]) => [name, asSchema(part)]));

/** JSON Schemas are objects all the way down; anything else says nothing. */
const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? (value as Schema) : {};
