import { readFile } from 'node:fs/promises';
import { isErrno } from '../errno';

/** JSON or undefined: for files of ours, where the schema says what is wrong. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON of a file; undefined where there is no such file or it is not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    if (isErrno(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
