import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { err, ok } from 'neverthrow';
import { PROGRAM_NAME } from './pinned';
import { tryProgram } from './try-program';
import { type Way } from './ways';

/** `temporal` on PATH: the first one that works. */
export const pathWay: Way = async ({ env }) => {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const refused: string[] = [];
  for (const folder of folders) {
    const path = resolve(join(folder, PROGRAM_NAME));
    if (!(await isExecutableFile(path))) continue;
    const version = await tryProgram(path, env);
    if (version.isOk()) return ok({ path, from: 'PATH', version: version.value });
    refused.push(`${path}: ${version.error}`);
  }
  if (refused.length > 0) return err(refused.join('; '));
  return err(folders.length === 0 ? 'PATH is empty' : `no "${PROGRAM_NAME}" in any folder of PATH`);
};

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
