import { readFileSync } from 'node:fs';
import { isErrno } from '../errno';

/** JSON or undefined: for files of ours, where the schema says what is wrong. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON of a small file; undefined where there is no such file or it is not JSON. */
export function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isErrno(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
