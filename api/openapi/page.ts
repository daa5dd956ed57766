/** The OpenAPI document as a page to read: plain HTML, no script, nothing from elsewhere. */
import { createHash } from 'node:crypto';
import { type JsonSchema } from './json-schema';
import { type DocumentedOperation, type OpenApi } from './document';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ddd; }
section { margin: 2rem 0; } pre { overflow: auto; background: #f6f6f6; padding: .75rem; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } a { color: #8cf; }
td, th { border-color: #333; } pre { background: #1c1c1c; } }
`;

/** Lets the page's own style in, and nothing else. */
export const PAGE_POLICY =
  `default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; ` +
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Render the page. */
export function page({ info, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const parts = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${text(tag)}</h2>${own.map(({ name, operation }) => section(name, operation)).join('')}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<section id="${text(name)}"><h3>${text(name)}</h3>${details(schema)}</section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${text(info.title)} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head><body>
<h1>${text(info.title)} API</h1><p>${text(info.description)} The same for programs:
<a href="/openapi.json">/openapi.json</a>.</p>${parts.join('')}<h2>Answers</h2>${schemas.join('')}</body></html>`;
}

function section(name: string, { summary, parameters, requestBody, responses }: DocumentedOperation): string {
  const inputs = parameters.map(({ name: one, in: where, description, schema }) =>
    row([`<code>${text(one)}</code>`, where, text(description === '' ? inWords(schema) : description)]),
  );
  const answers = Object.entries(responses).map(([status, { description, content }]) =>
    row([status, text(description), linkTo(content)]),
  );
  return `<section><h3><code>${text(name)}</code></h3><p>${text(summary)}</p>
${inputs.length > 0 ? `<table>${inputs.join('')}</table>` : ''}${requestBody ? details(requestBody) : ''}
<table>${answers.join('')}</table></section>`;
}

const row = (cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

const details = (schema: JsonSchema): string =>
  `<details><summary>JSON Schema</summary><pre>${text(JSON.stringify(schema, null, 2))}</pre></details>`;

function inWords({ type, enum: choice }: JsonSchema): string {
  return Array.isArray(choice) ? choice.join(', ') : typeof type === 'string' ? type : '';
}

/** The name of what is answered, as a link to it. */
function linkTo(content: unknown): string {
  const [, name] = /schemas\/(\w+)/.exec(JSON.stringify(content ?? {})) ?? [];
  return name === undefined ? '' : `<a href="#${name}">${name}</a>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const text = (raw: string): string => raw.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);
