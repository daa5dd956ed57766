/** Where skills are: `<folder>/<name>/run.mjs`, the first folder that has it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

const PROGRAM = 'run.mjs';

/** The local program of a skill; null where no folder has one. */
export async function findProgram(skill: string, skillDirs: readonly string[]): Promise<string | null> {
  for (const dir of skillDirs) {
    const path = join(dir, skill, PROGRAM);
    if (await isFile(path)) return path;
  }
  return null;
}

/** The skills of this list that have no local program, each once. */
export async function findMissingSkills(
  skills: readonly string[],
  skillDirs: readonly string[],
): Promise<readonly string[]> {
  const names = [...new Set(skills)];
  const programs = await Promise.all(names.map((name) => findProgram(name, skillDirs)));
  return names.filter((_, index) => programs[index] === null);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not for us: either way no program we could run.
    return false;
  }
}
