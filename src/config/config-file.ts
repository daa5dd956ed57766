/** The configuration file: where it is, and what it says. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { hasCode } from '../errno';
import { problem, type RailyardError } from '../errors';
import { findJsonFault, placeOf } from '../factory/compile';
import { SETTINGS } from './setting-list';

const NAME = 'railyard.json';

/** A file that was read; its values are not checked yet. */
export interface ConfigFile {
  readonly path: string;
  readonly value: unknown;
}

/** Read the file that is named, else the one of the data directory, which need not be there. */
export function readConfigFile(root: string, named: string | null): Result<ConfigFile | null, RailyardError> {
  const path = named === null ? join(root, NAME) : resolve(named);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    // Below a file there is no folder; whether the data directory can be used, others say better.
    if (named === null && hasCode(error, 'ENOENT', 'ENOTDIR')) return ok(null);
    const why = error instanceof Error ? error.message : String(error);
    return err(problem('CONFIG_INVALID', `The configuration file cannot be read: ${why}.`));
  }
  const fault = findJsonFault(text);
  if (fault) {
    const { line, column } = placeOf(text, fault.offset);
    const message = `${path} is not JSON: line ${line}, column ${column}: ${fault.reason}.`;
    return err(problem('CONFIG_INVALID', message, { suggestion: 'Mend the JSON at the named place.' }));
  }
  return ok({ path, value: withPaths(JSON.parse(text), dirname(path)) });
}

/** Paths in the file are relative to the file, wherever the service is started. */
function withPaths(value: unknown, base: string): unknown {
  if (!isObject(value)) return value;
  const made: Record<string, unknown> = { ...value };
  for (const { group, name, path } of SETTINGS) {
    const said = made[group];
    if (path !== true || !isObject(said) || !Object.hasOwn(said, name)) continue;
    made[group] = { ...said, [name]: resolved(said[name], base) };
  }
  return made;
}

function resolved(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => resolved(one, base));
  return typeof value === 'string' && value !== '' ? resolve(base, value) : value;
}

/** An object, and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
