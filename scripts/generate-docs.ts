/**
 * Writes what is generated in docs: the JSON Schemas, the pages of errors, of the configuration and of the locks. With
 * `--check` it writes nothing, names the
 * files that are stale and exits with 1.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configurationPage } from '../src/config';
import { ERRORS, type Retry } from '../src/errors';
import { schemaFiles } from '../src/factory/schema';
import { durableSchemaFiles } from '../src/workrail/model';
import { lockPage } from './lock-coverage';

const docs = join(process.cwd(), 'docs');
const files: Readonly<Record<string, string>> = {
  ...below('schemas', schemaFiles()),
  ...below(join('schemas', 'workrail'), durableSchemaFiles()),
  'errors.md': errorPage(),
  [join('reference', 'configuration.md')]: configurationPage(),
  'reference/locks.md': lockPage(process.cwd()),
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
