/**
 * Writes what is generated in docs: the JSON Schemas, the pages of errors, configuration, locks, builtins and tools. With `--check`
 * it writes nothing, names the
 * files that are stale and exits with 1.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configurationPage } from '../src/config';
import { ERRORS, type Retry } from '../src/errors';
import { schemaFiles } from '../src/factory/schema';
import { type Builtin, builtins, workflowSchema } from '../src/workrail/compiler';
import { durableSchemaFiles } from '../src/workrail/model';
import { lockPage } from './lock-coverage';
import { toolsPage } from './tools-page';

const docs = join(process.cwd(), 'docs');
const files: Readonly<Record<string, string>> = {
  ...below('schemas', schemaFiles()),
  ...below(join('schemas', 'workrail'), durableSchemaFiles()),
  [join('schemas', 'workflow.schema.json')]: workflowSchema(),
  'errors.md': errorPage(),
  [join('reference', 'builtins.md')]: builtinsPage(),
  [join('reference', 'configuration.md')]: configurationPage(),
  [join('reference', 'locks.md')]: lockPage(process.cwd()),
  [join('reference', 'tools.md')]: toolsPage(),
};
const stale = Object.entries(files).filter(([name, text]) => {
  const path = join(docs, name);
  return !existsSync(path) || readFileSync(path, 'utf8') !== text;
});

if (process.argv.includes('--check')) {
  for (const [name] of stale) process.stderr.write(`docs/${name} is stale: run \`npm run docs\`\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [name, text] of stale) {
    mkdirSync(dirname(join(docs, name)), { recursive: true });
    writeFileSync(join(docs, name), text);
    process.stdout.write(`wrote docs/${name}\n`);
  }
}

function below(folder: string, texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [join(folder, name), text]));
}

function errorPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, exit, retry, suggestion }]) =>
      `| \`${code}\` | ${status} | ${exit} | ${inWords(retry)} | ${suggestion} |`,
  );
  return [
    '# Errors',
    '',
    'Made from `src/errors.ts` by `npm run docs`. Every error is an envelope',
    '`{code, message, suggestion, retry, details?}`; the suggestion here is the general one, and gives way to a better one',
    'where the place that fails has it.',
    '',
    '| code | HTTP | exit code | try again | what to do |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function builtinsPage(): string {
  const { capabilities, contracts, features, refs, templates } = builtins();
  const list = (entries: readonly Builtin[], what: string): string[] =>
    entries.flatMap((one) => entry(one, what));
  return [
    '# Builtins of workflows',
    '',
    'Made from `src/workrail/compiler` by `npm run docs`. These sets are closed: workflows refer to them and never extend',
    'them. How to use them is in [the guide](../guides/workflows.md).',
    '',
    '## Capabilities',
    '',
    ...capabilities.map((name) => `- \`${name}\``),
    '',
    '## Contracts',
    '',
    ...list(contracts, 'Artifact'),
    '## Templates',
    '',
    ...list(templates, 'Parameters'),
    '## Features',
    '',
    ...list(features, 'Configuration'),
    '## Canonical texts',
    '',
    ...list(refs, ''),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function entry({ id, purpose, schema, shown, askedBy }: Builtin, what: string): string[] {
  const fence = (text: string, language: string): string[] => ['```' + language, text, '```', ''];
  const asked = askedBy === 'factory' ? ' Kept by factories; steps cannot ask for it.' : '';
  return [
    `### \`${id}\``,
    '',
    `${purpose}${asked}`,
    '',
    ...(shown === undefined ? [] : fence(shown, schema ? 'json' : 'text')),
    ...(schema ? [`${what}, as JSON Schema:`, '', ...fence(JSON.stringify(schema, null, 2), 'json')] : []),
  ];
}

function inWords(retry: Retry): string {
  switch (retry.kind) {
    case 'not_retryable':
      return 'no';
    case 'retryable_immediate':
      return 'at once';
    case 'retryable_after_ms':
      return `after ${retry.afterMs / 1000} s`;
  }
}
