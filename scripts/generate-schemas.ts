/**
 * Writes the JSON Schemas of docs/schemas from the zod schemas. With `--check` it writes nothing, names the files that
 * are stale and exits with 1.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaFiles } from '../src/factory/schema';

const folder = join(process.cwd(), 'docs', 'schemas');
const stale = Object.entries(schemaFiles()).filter(([name, text]) => {
  const path = join(folder, name);
  return !existsSync(path) || readFileSync(path, 'utf8') !== text;
});

if (process.argv.includes('--check')) {
  for (const [name] of stale) process.stderr.write(`docs/schemas/${name} is stale\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of stale) {
    writeFileSync(join(folder, name), text);
    process.stdout.write(`wrote docs/schemas/${name}\n`);
  }
}
